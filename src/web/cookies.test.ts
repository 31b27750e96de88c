import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { SYSTEM } from '../accounts/identity/forms.ts'
import { anOwner, PASSWORD } from '../accounts/testing.ts'
import { signedIn, visitor } from '../testing/browser.ts'
import { sharedForum } from '../testing/forum.ts'

/** Every cookie that the forum signs. */
const SIGNED = ['flash', 'passkey-challenge']

suite('signed cookies', () => {
  const forum = sharedForum()

  /** A browser that has each of them. */
  async function bearer() {
    const browser = await signedIn(forum.app, await anOwner(forum.db))
    await browser.post('/settings/passkeys/new', { current_password: PASSWORD })
    const profile = { display_name: 'Mina', language: SYSTEM, time_zone: 'UTC', theme: 'dark' }
    await browser.post('/settings', profile)
    return browser
  }

  test('the value of one is worth nothing as another, and never a failure', async () => {
    const { cookies } = await bearer()
    for (const from of SIGNED) {
      const value = cookies.get(from)
      assert.ok(value !== undefined, from)
      for (const to of SIGNED.filter((name) => name !== from)) {
        const stranger = visitor(forum.app)
        stranger.cookies.set(to, value)
        const page = await stranger.get('/courses')
        assert.equal(page.statusCode, 200, `${from} as ${to}`)
        assert.doesNotMatch(page.body, /data-flash/)
        const answer = await stranger.post('/sign-in/passkey', { _passkey: '{}' })
        assert.ok(answer.statusCode < 500, `${from} as ${to}: ${answer.statusCode}`)
      }
    }
  })

  test('a flash message that this version does not have says nothing', async () => {
    const browser = await bearer()
    browser.cookies.set('flash', forum.app.signCookie('flash=a.message.of.another.version'))
    const page = await browser.get('/courses')
    assert.equal(page.statusCode, 200)
    assert.doesNotMatch(page.body, /data-flash/)
    assert.equal(browser.cookies.has('flash'), false)
  })
})

const IN_PLACE = { 'sec-fetch-dest': 'empty', accept: 'text/html' }
const NAVIGATION = { 'sec-fetch-dest': 'document', accept: 'text/html' }

suite('flash messages', () => {
  const forum = sharedForum()

  /** A browser with a message that it is yet to show. */
  function withMessage() {
    const browser = visitor(forum.app)
    const message = JSON.stringify({ said: [{ key: 'drafts.flash.saved' }], act: null })
    browser.cookies.set('flash', forum.app.signCookie(`flash=${message}`))
    return browser
  }

  const unseen = {
    'newer parts of the page in another tab': { ...IN_PLACE, accept: 'text/html; background=1' },
    'the same where the address is not https': { accept: 'text/html; background=1' },
    'a picture that is gone': { 'sec-fetch-dest': 'image', accept: 'image/avif,image/*,*/*;q=0.8' },
    'an answer that a script expects': { ...IN_PLACE, accept: '*/*' },
    'a form that was sent in place and led to another page': {
      ...IN_PLACE,
      referer: 'http://forum.example/questions',
    },
    'a page that a browser gets ahead': { ...NAVIGATION, 'sec-purpose': 'prefetch' },
  }
  for (const [what, headers] of Object.entries(unseen))
    test(`${what} leaves the message to the page that is for it`, async () => {
      const browser = withMessage()
      assert.doesNotMatch((await browser.get('/courses', headers)).body, /data-flash/)
      assert.match((await browser.get('/courses')).body, /data-flash/)
    })

  const seen = {
    'a navigation': { 'sec-fetch-dest': 'document', accept: 'text/html,*/*;q=0.8' },
    'a form that was sent in place': { ...IN_PLACE, referer: 'http://forum.example/courses?kind=open' },
    'a client that says nothing': { accept: '*/*' },
  }
  for (const [what, headers] of Object.entries(seen))
    test(`${what} shows the message once`, async () => {
      const browser = withMessage()
      assert.match((await browser.get('/courses', headers)).body, /data-flash/)
      assert.equal(browser.cookies.has('flash'), false)
    })

  test('a forged flash cookie says nothing', async () => {
    const somebody = visitor(forum.app)
    for (const cookie of ['questions.flash.posted', 'questions.flash.posted.forged', '%F0', 's:x', '']) {
      somebody.cookies.set('flash', cookie)
      const answer = await somebody.get('/courses')
      assert.equal(answer.statusCode, 200)
      assert.doesNotMatch(answer.body, /data-flash/)
    }
  })
})
