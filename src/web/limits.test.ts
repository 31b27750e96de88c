import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { LIMITS } from '../limits/table.ts'
import { testApp } from '../testing/app.ts'
import { signedIn, visitor } from '../testing/browser.ts'
import { aMember, anAnswer, aPerson, aReply } from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'
import { elementIn, textOf } from '../testing/page.ts'
import { routesOf } from '../testing/routes.ts'
import { networkOf } from './network.ts'
import { assertErrorPage } from './testing.ts'

const TYPED = 'Words that took\nan hour to write <&>'

/** Every field that some form has, so that whichever is read is there. */
const FIELDS = { title: 'A title', body: TYPED, value: '1', email: 'mina@example.com', display_name: 'Mina' }

/** Forms that nobody sends too often: they only end something of one's own; passkeys are tried in their own room. */
const UNLIMITED = /^\/(?:bad-request|sign-out|settings\/sessions\/)|passkey/

/** Forms for whoever is not signed in. */
const OPEN = /^\/(?:sign-|set-up|forgotten-|new-password|confirm-|undo-)/

test('every form that is sent too often answers 429 with all that was typed, and locks out nobody else', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const answer = await anAnswer(db)
  const reply = await aReply(db, { answer })
  const asker = await aMember(db, { id: answer.question.courseId }, 'instructor')
  const browser = await signedIn(app, asker)
  const stranger = visitor(app)
  const ids: Readonly<Record<string, number>> = {
    questions: answer.question.id,
    answers: answer.id,
    replies: reply.id,
  }
  const forms = routesOf(app)
    .filter(({ method, path }) => method === 'POST' && !UNLIMITED.test(path))
    .map(({ path }) => ({
      path: path.replace(/:\w+/, String(ids[path.split('/')[1] ?? ''] ?? 1)),
      from: OPEN.test(path) ? stranger : browser,
    }))
  assert.ok(forms.length >= 30, String(forms.length))
  // Refused for its token, after it was counted.
  for (const { path, from } of forms) {
    const { statusCode } = await from.post(path, FIELDS, { token: 'x' })
    assert.ok([303, 403].includes(statusCode), `${path}: ${statusCode}`)
  }
  await sql`update tries set count = 1000000`.execute(db)

  for (const { path, from } of forms) {
    const refused = await from.post(path, { ...FIELDS, password: 'a secret of mine' }, { token: 'x' })
    assertErrorPage(refused, 429, path)
    const wait = Number(refused.headers['retry-after'])
    assert.ok(wait > 0 && wait <= 60 * 60, `${path}: ${wait}`)
    assert.match(
      elementIn(refused.body, 'typed-body'),
      /Words that took\nan hour to write &lt;&amp;&gt;/,
      path,
    )
    assert.ok(refused.body.includes(`action="${path}"`), path)
    assert.match(textOf(refused.body), /Send it again/)
    assert.doesNotMatch(refused.body, /a secret of mine/)
  }

  const other = await signedIn(app, await aPerson(db))
  assert.equal(
    (await other.post(`/questions/${ids.questions}/answers`, { body: 'Somebody else' })).statusCode,
    303,
  )
  const elsewhere = await app.inject({ method: 'POST', url: '/sign-in', remoteAddress: '192.0.2.9' })
  assert.notEqual(elsewhere.statusCode, 429)
})

test('what is sent again after the wait is taken', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const { question } = await anAnswer(db)
  const browser = await signedIn(app, await aPerson(db))
  const path = `/questions/${question.id}/answers`
  assert.equal((await browser.post(path, { body: 'first' })).statusCode, 303)
  await sql`update tries set count = ${LIMITS.posting.account.max}`.execute(db)
  const refused = await browser.post(path, { body: TYPED })
  assert.equal(refused.statusCode, 429)
  await sql`update tries set ends_at = now() - interval '1 second'`.execute(db)
  const token = /name="_csrf" value="([^"]+)"/.exec(
    refused.body.slice(refused.body.indexOf(`action="${path}"`)),
  )?.[1]
  assert.ok(token !== undefined)
  assert.equal((await browser.post(path, { body: TYPED }, { token })).statusCode, 303)
})

test('each search page counts for its own limit, and a page that is refused is still the forum’s', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  await visitor(app).get('/search?q=x')
  await sql`update tries set count = 1000000`.execute(db)
  assertErrorPage(await visitor(app).get('/search?q=x'), 429)
  assert.notEqual((await visitor(app).get('/search/suggestions?q=x')).statusCode, 429)
  assert.equal(networkOf('2001:db8:1:2:3::1'), networkOf('2001:db8:1:2::9'))
})
