import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { SYSTEM } from '../accounts/identity/forms.ts'
import { hashPassword } from '../accounts/identity/passwords.ts'
import { PASSWORD } from '../accounts/testing.ts'
import { signedIn, visitor } from '../testing/browser.ts'
import { aPerson } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'

/** Every cookie that the forum signs. */
const SIGNED = ['flash', 'passkey-challenge']

suite('signed cookies', () => {
  const forum = sharedForum()

  /** A browser that has each of them. */
  async function bearer() {
    const { app, db } = forum
    const browser = await signedIn(app, await aPerson(db, { passwordHash: await hashPassword(PASSWORD) }))
    await browser.post('/settings/passkeys/new', { current_password: PASSWORD })
    await browser.post('/settings', {
      display_name: 'Mina',
      language: SYSTEM,
      time_zone: 'UTC',
      theme: 'dark',
    })
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
    const signed = forum.app.signCookie('flash=a.message.of.another.version')
    browser.cookies.set('flash', signed)
    const page = await browser.get('/courses')
    assert.equal(page.statusCode, 200)
    assert.doesNotMatch(page.body, /data-flash/)
    assert.equal(browser.cookies.has('flash'), false)
  })
})
