import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../testing/browser.ts'
import { aPerson, aQuestion } from '../testing/builders.ts'
import { aForum, sharedForum } from '../testing/forum.ts'
import { valueIn } from '../testing/page.ts'
import { rowOf } from '../testing/rows.ts'
import { assertErrorPage } from './testing.ts'

suite('a form is taken from this forum only', () => {
  const forum = sharedForum()
  const typed = 'typed for an hour\n\n  <b>"kept"</b> &amp; 한글'

  test('without its token, with a wrong or another person’s one: 403, the text kept to be sent again', async () => {
    const { app, db } = forum
    const question = await aQuestion(db)
    const [browser, other] = [await signedIn(app, await aPerson(db)), await signedIn(app, await aPerson(db))]
    const token = await browser.token()
    const path = `/questions/${question.id}/answers`
    const others = [await other.token(), await visitor(app).token()]
    for (const bad of [null, '', 'x', `${token}x`, token.slice(1), ...others]) {
      const refused = await browser.post(path, { body: typed }, { token: bad })
      assertErrorPage(refused, 403, String(bad))
      assert.equal(valueIn(refused.body, 'body'), typed)
      const again = { body: valueIn(refused.body, 'body') ?? '' }
      assert.match(refused.body, new RegExp(`<form[^>]*method="post" action="${path}"`))
      const sent = await browser.post(path, again, { token: valueIn(refused.body, '_csrf') })
      assert.equal(sent.statusCode, 303)
    }
    const twice = await browser.post(path, { _csrf: [token, token], body: typed }, { token: null })
    assertErrorPage(twice, 403, 'two tokens')
  })

  test('from another site: 403, the text kept to be copied, nothing to press', async () => {
    const { app, db } = forum
    const browser = await signedIn(app, await aPerson(db))
    const question = await aQuestion(db)
    const own = app.config.baseUrl
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: own, 'sec-fetch-site': 'cross-site' },
      { origin: own, 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
      { origin: `${own}.evil.example` },
      { origin: 'http://localhost:3001' },
      { origin: 'not an origin' },
    ]
    const path = `/questions/${question.id}/answers`
    for (const headers of foreign) {
      const refused = await browser.post(path, { body: typed }, { origin: null, headers })
      assertErrorPage(refused, 403, JSON.stringify(headers))
      assert.equal(valueIn(refused.body, 'body'), typed)
      assert.doesNotMatch(refused.body, new RegExp(`action="${path}"`))
    }
    const same = [{ 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }]
    for (const headers of [{ origin: own }, ...same, {}]) {
      const sent = await browser.post(path, { body: typed }, { origin: null, headers })
      assert.equal(sent.statusCode, 303, JSON.stringify(headers))
    }
  })

  test('a token of before signing in, or of an ended session, is worth nothing after', async () => {
    const { app, db } = forum
    const person = await aPerson(db)
    const [before, first, second] = [visitor(app), await signedIn(app, person), await signedIn(app, person)]
    for (const browser of [before, first]) {
      const token = await browser.token()
      // The cookie the token goes with outlives the session.
      second.cookies.set('csrf', browser.cookies.get('csrf') ?? assert.fail())
      assert.equal((await second.post('/sign-out', {}, { token })).statusCode, 403)
    }
  })

  test('secrets are not shown again', async () => {
    const fields = { email: 'mina@example.com', password: 'my secret words' }
    const refused = await visitor(forum.app).post('/sign-in', fields, { token: null })
    assertErrorPage(refused, 403)
    assert.doesNotMatch(refused.body, /my secret words/)
    assert.equal(valueIn(refused.body, 'email'), 'mina@example.com')
  })

  test('GET changes nothing: no act has a page to open', async () => {
    const { app, db } = forum
    const question = await aQuestion(db, { answers: 1 })
    const browser = await signedIn(app, question.authorId)
    const { id } = await rowOf(db, 'answers', { question_id: question.id })
    for (const act of ['votes', 'acceptance', 'endorsement', 'delete', 'replies'])
      assertErrorPage(await browser.get(`/answers/${id}/${act}?value=1`), 404, act)
    assert.equal((await browser.get(`/questions/${question.id}/delete`)).statusCode, 301)
    assert.equal((await browser.get('/sign-out?value=1')).statusCode, 303)
    assert.equal((await browser.get('/settings')).statusCode, 200, 'they are signed in still')
  })

  test('cookies are of this host alone, out of scripts’ reach, and secure on https', async (t) => {
    const { app, db } = await aForum(t, { baseUrl: 'https://forum.example' })
    const browser = await signedIn(app, await aPerson(db))
    const answer = await browser.get('/courses')
    const cookie = answer.cookies.find(({ name }) => name === '__Host-csrf')
    assert.ok(cookie?.httpOnly && cookie.secure && cookie.sameSite === 'Lax' && cookie.path === '/')
    assert.equal(cookie.domain, undefined)
    assert.match(String(answer.headers['strict-transport-security']), /max-age=63072000/)
    const out = await browser.post('/sign-out', {}, { page: '/courses' })
    assert.equal(out.statusCode, 303)
    assert.equal(out.headers['clear-site-data'], '"cache", "storage"')
    assert.equal(browser.cookies.has('__Host-session'), false)
  })
})
