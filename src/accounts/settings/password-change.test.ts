import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { EventName } from '../../kernel/audit/kinds.ts'
import { act, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { aPerson } from '../../testing/people.ts'
import { setRows } from '../../testing/rows.ts'
import {
  anOwner,
  inSession,
  isSignedIn,
  OTHER_PASSWORD,
  otherPassword,
  PASSWORD,
  signInToken,
  waysInto,
} from '../testing.ts'
import { passwordChange } from './operations.ts'

suite('changing the password', () => {
  const forum = sharedForum()
  const change = { current_password: PASSWORD, password: OTHER_PASSWORD }

  test('needs the current one and ends every other session', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const [browser, elsewhere] = [await signedIn(app, owner), await signedIn(app, owner)]
    const before = browser.cookies.get('session')
    const wrong = await browser.post('/settings/password', { ...change, current_password: 'not this one' })
    assert.equal(wrong.statusCode, 422)
    assert.ok(!wrong.body.includes(OTHER_PASSWORD))
    const answer = await browser.post('/settings/password', change)
    assert.equal(answer.statusCode, 303)
    assert.equal((await browser.follow(answer)).statusCode, 200)
    assert.notEqual(browser.cookies.get('session'), before)
    assert.ok(!(await isSignedIn(elsewhere)))
    assert.equal((await waysInto(db, owner)).sessions, 1)
    for (const [password, status] of [
      [PASSWORD, 422],
      [OTHER_PASSWORD, 303],
    ] as const)
      assert.equal((await visitor(app).post('/sign-in', { email: owner.email, password })).statusCode, status)
  })

  test('needs no current one in the hour after a sign-in link, which is how a forgotten one is replaced', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const browser = visitor(app)
    const asks = async () => /name="current_password"/.test((await browser.get('/settings')).body)
    const post = async (by = browser) =>
      (await by.post('/settings/password', { password: OTHER_PASSWORD })).statusCode
    await browser.post('/sign-in/link', { token: await signInToken(db, owner) })
    assert.equal(await asks(), false)
    assert.equal(await post(await signedIn(app, owner, ['password'])), 422, 'another session of theirs')
    for (const [minutes, status] of [
      [61, 422],
      [59, 303],
    ]) {
      const since = { proved_at: sql`now() - make_interval(mins => ${minutes})` }
      await setRows(db, 'sessions', { proof: 'link' }, since)
      assert.equal(await post(), status)
    }
    assert.equal(await asks(), true)
  })

  test('without a password needs a fresh link, and says how to get one', async () => {
    const { app, db } = forum
    const linked = await aPerson(db)
    const browser = await signedIn(app, linked)
    assert.match((await browser.get('/settings')).body, /To set one, get a link/)
    assert.equal((await browser.post('/settings/password', { password: OTHER_PASSWORD })).statusCode, 403)
    const input = await otherPassword(app)
    const noted: EventName[] = []
    await refuses(forum, passwordChange, await inSession(db, linked), [[input, 'forbidden']])
    await act(forum, passwordChange, { ...(await inSession(db, linked, ['link'])), input, noted })
    assert.deepEqual([(await waysInto(db, linked)).passwords, noted], [1, ['password-changed']])
  })
})
