import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import timers from 'node:timers/promises'
import { act } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { aPerson } from '../../testing/people.ts'
import { PACE_MS } from '../identity/guesses.ts'
import { DeadLink } from '../identity/mail-links.ts'
import { passwordChange } from '../settings/operations.ts'
import {
  anOwner,
  inSession,
  isSignedIn,
  kindsTo,
  lettersTo,
  linkTo,
  mailToken,
  OTHER_PASSWORD,
  otherPassword,
  PASSWORD,
  signInToken,
} from '../testing.ts'
import { newPasswordRequest, newPasswordSetting } from './forgotten-password.ts'
import { signInLinkUse } from './links.ts'

suite('a forgotten password', () => {
  const forum = sharedForum({ smtpUrl: 'smtp://127.0.0.1:1' })
  const ask = (email: string) => act(forum, newPasswordRequest, { actor: null, key: email, input: { email } })

  test('is replaced by a link that came by mail', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const { email } = owner
    const elsewhere = await signedIn(app, owner)
    const browser = visitor(app)
    assert.match((await browser.get('/sign-in')).body, /href="\/forgotten-password"/)
    const asked = await browser.post('/forgotten-password', { email: ` ${email.toUpperCase()}` })
    assert.equal(asked.headers.location, '/sign-in')
    assert.match(textOf((await browser.follow(asked)).body), /If an account has this address/)
    const { path, token } = await linkTo(db, email)
    assert.equal(path, `/new-password?token=${token}`)
    for (let opened = 0; opened < 3; opened += 1) assert.equal((await browser.get(path)).statusCode, 200)
    assert.ok(await isSignedIn(elsewhere), 'opening the link changes nothing')

    const set = await browser.post('/new-password', { token, password: OTHER_PASSWORD }, { page: path })
    assert.equal(set.headers.location, '/sign-in')
    assert.ok(!(await isSignedIn(browser)), 'it does not sign in by itself')
    assert.ok(!(await isSignedIn(elsewhere)), 'every session has ended')
    assert.equal((await visitor(app).post('/sign-in', { email, password: PASSWORD })).statusCode, 422)
    await browser.post('/sign-in', { email, password: OTHER_PASSWORD })
    assert.match(textOf((await browser.get('/settings')).body), new RegExp(`${email} Confirmed`))
    assert.equal((await lettersTo(db, email)).at(-1)?.kind, 'passwordChanged')
  })

  test('is asked for with the same answer, after the same time, whether the address is known', async (t) => {
    const { app, db } = forum
    const { email: known } = await anOwner(db)
    const browser = visitor(app)
    const token = await browser.token('/forgotten-password')
    let ended = 0
    const pause = timers.setTimeout
    t.mock.method(timers, 'setTimeout', async (delay?: number) => {
      await pause(delay)
      if (delay === PACE_MS) ended += 1
    })
    const answers = []
    for (const email of [known, 'nobody@example.com']) {
      const { statusCode, headers, body } = await browser.post('/forgotten-password', { email }, { token })
      assert.equal(ended, answers.length + 1, `${email}: answered once a pause of its own had ended`)
      answers.push({ statusCode, body, location: headers.location, flash: headers['set-cookie'] })
    }
    assert.deepEqual(answers[0], answers[1])
    assert.deepEqual(await kindsTo(db, known), ['newPassword'])
    assert.deepEqual(await kindsTo(db, 'nobody@example.com'), [])
  })

  test('has links that end when the password changes, whichever way', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const input = await otherPassword(app)
    const set = (key: string) => act(forum, newPasswordSetting, { actor: null, key, input })
    const link = () => mailToken(db, owner, 'new-password')
    const [one, last] = [await link(), await link()]
    await set(last)
    await assert.rejects(set(one), DeadLink)
    const [another, signIn] = [await link(), await signInToken(db, owner)]
    await act(forum, passwordChange, { ...(await inSession(db, owner)), input })
    await assert.rejects(set(another), DeadLink)
    await assert.rejects(act(forum, signInLinkUse, { actor: null, key: signIn }), DeadLink)
  })

  test('has links whose addresses begin with BASE_URL whatever the Host says', async () => {
    const { email } = await anOwner(forum.db)
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    await visitor(forum.app).post('/forgotten-password', { email }, { headers, origin: null })
    await linkTo(forum.db, email)
    assert.doesNotMatch(JSON.stringify(await lettersTo(forum.db, email)), /evil/)
  })

  test('is asked for five times an hour, by anybody', async () => {
    const { email } = await anOwner(forum.db)
    await Promise.all(Array.from({ length: 12 }, () => ask(email)))
    assert.equal((await lettersTo(forum.db, email)).length, 5)
  })

  test('is told of in the person’s language, else the page’s, and without anybody’s words', async () => {
    const { app, db } = forum
    const korean = await aPerson(db, { language: 'ko', displayName: 'Buy at evil.example' })
    await ask(korean.email)
    const [letter] = await lettersTo(db, korean.email)
    assert.equal(letter?.subject, '비밀번호 재설정')
    assert.match(letter.html, /<html lang="ko">/)
    assert.doesNotMatch(letter.text + letter.html, /evil\.example/)
    const other = await aPerson(db)
    const headers = { 'accept-language': 'ko' }
    await visitor(app).post('/forgotten-password', { email: other.email }, { headers })
    assert.equal((await lettersTo(db, other.email))[0]?.language, 'ko')
  })
})
