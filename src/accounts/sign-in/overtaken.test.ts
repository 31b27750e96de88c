import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Write } from '../../database/schema.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { aPerson, type MadePerson } from '../../testing/people.ts'
import { rowOf, setRows, valuesOf } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { accountDeletion } from '../deletion/leave.ts'
import { DeadLink } from '../identity/mail-links.ts'
import { hashPassword } from '../identity/passwords.ts'
import { appRemoval, appSetUp } from '../second-factor/second-factor.ts'
import { anApp } from '../second-factor/testing.ts'
import { beginSessionOf } from '../sessions/sessions.ts'
import { emailChangeRequest, passwordChange, profileChange } from '../settings/operations.ts'
import {
  anOwner,
  inSession,
  isSignedIn,
  lettersTo,
  mailToken,
  OTHER_PASSWORD,
  otherPassword,
  overtaken,
  PASSWORD,
  signInToken,
  waysInto,
} from '../testing.ts'
import { authenticate } from './authenticate.ts'
import { newPasswordRequest, newPasswordSetting } from './forgotten-password.ts'
import { setPassword } from './sign-up.ts'

const CIRCUMSTANCES = { baseUrl: 'http://localhost:3000', language: 'en' } as const

suite('while an account changes', () => {
  const forum = sharedForum()

  /** The owner sets another password while something waits. */
  async function overtakenByPassword<Answer>(owner: MadePerson, begin: () => Promise<Answer>) {
    const hash = await hashPassword(OTHER_PASSWORD)
    return overtaken(forum.db, owner, begin, (write, locked) =>
      setPassword(write, locked, hash, CIRCUMSTANCES),
    )
  }

  const address = (id: number) => ({ email: `new-${id}@example.org` })
  /** It gets another address. */
  const moved =
    ({ id }: MadePerson) =>
    (write: Write) =>
      setRows(write, 'people', id, address(id))

  test('signing in with the old password, a link, or the code after the old one begins no session', async () => {
    const { app, db } = forum
    for (const way of ['password', 'link', 'code'] as const) {
      const owner = await anOwner(db)
      const browser = visitor(app)
      const { email } = owner
      const token = await signInToken(db, owner)
      const { code } = way === 'code' ? await anApp(app, owner) : { code: () => '' }
      if (way === 'code') await browser.post('/sign-in', { email, password: PASSWORD })
      const enter = {
        password: () => browser.post('/sign-in', { email, password: PASSWORD }),
        link: () => browser.post('/sign-in/link', { token }),
        code: () => browser.post('/sign-in/code', { code: code() }),
      }
      const answer = await overtakenByPassword(owner, enter[way])
      if (way !== 'link') assert.equal(answer.headers.location, '/sign-in')
      if (way === 'password') assert.match((await browser.follow(answer)).body, /Your account has changed/)
      assert.ok(!(await isSignedIn(browser)), way)
      assert.equal((await waysInto(db, owner)).sessions, 0)
    }
  })

  test('the password alone begins none, should a second factor have been turned on since', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const access = await authenticate(db, owner.email, PASSWORD)
    assert.ok(access !== null)
    await anApp(app, owner)
    assert.equal(await beginSessionOf(db, access, 'a test', ['password']), null)
  })

  test('nothing is changed in a session for which the old password was typed', async () => {
    const { app, db } = forum
    const thiefs = await otherPassword(app)
    const without = await anOwner(db)
    const withApp = await anOwner(db)
    await anApp(app, withApp)
    const tries = [
      [without, { operation: passwordChange, input: thiefs }],
      [without, { operation: emailChangeRequest, input: { new_email: 'thief@example.org' } }],
      [without, { operation: appSetUp, input: {} }],
      [withApp, { operation: appRemoval, input: {} }],
    ] as const
    for (const [owner, { operation, input }] of tries) {
      const { actor, key } = await inSession(db, owner)
      const doing = { actor, key: { ...key, keys: app.secretKeys }, input }
      const refused = await overtakenByPassword(owner, () => refusalOf(forum, operation, doing))
      assert.equal(refused, 'sign-in', operation.name)
    }
    assert.deepEqual([(await waysInto(db, without)).apps, (await waysInto(db, withApp)).apps], [0, 1])
    assert.deepEqual(await lettersTo(db, 'thief@example.org'), [])
    assert.equal(await authenticate(db, without.email, PASSWORD), null)
    assert.notEqual(await authenticate(db, without.email, OTHER_PASSWORD), null)
  })

  test('a link to a new password does nothing for an account that got another address', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const key = await mailToken(db, owner, 'new-password')
    const doing = { actor: null, key, input: await otherPassword(app) }
    const set = () => act(forum, newPasswordSetting, doing)
    await assert.rejects(overtaken(db, owner, set, moved(owner)), DeadLink)
    assert.notEqual(await authenticate(db, address(owner.id).email, PASSWORD), null)
  })

  test('none is sent to an address that the account had a moment ago', async () => {
    const { db } = forum
    const owner = await anOwner(db)
    const { email } = owner
    const ask = () => act(forum, newPasswordRequest, { actor: null, key: email, input: { email } })
    await overtaken(db, owner, ask, moved(owner))
    for (const to of [email, address(owner.id).email]) assert.deepEqual(await lettersTo(db, to), [], to)
  })

  test('a name does not come back to an account that is being deleted', async () => {
    const { db } = forum
    const owner = await anOwner(db)
    const [leaving, renaming] = [await inSession(db, owner), await inSession(db, owner)]
    const profile = { display_name: 'Still here', language: 'system', time_zone: '', theme: 'system' }
    // First come, first served.
    async function leaveAndRename() {
      const gone = act(forum, accountDeletion, { ...leaving, input: { posts: 'keep' } })
      await untilWaiting(db)
      const renamed = refusalOf(forum, profileChange, { ...renaming, input: profile })
      await gone
      return renamed
    }
    // Closing the account ended its sessions.
    assert.equal(await overtaken(db, owner, leaveAndRename, () => untilWaiting(db, 2)), 'sign-in')
    assert.equal((await rowOf(db, 'people', owner.id)).display_name, 'Former member')
  })

  test('of two links to new passwords used at once one sets it, and nobody waits for nobody', async () => {
    const { app, db } = forum
    const input = await otherPassword(app)
    for (let round = 0; round < 4; round += 1) {
      const owner = await anOwner(db)
      const links = await Promise.all([1, 2, 3, 4].map(() => mailToken(db, owner, 'new-password')))
      const set = links.map((key) => act(forum, newPasswordSetting, { actor: null, key, input }))
      const results = await Promise.allSettled(set)
      const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      const isDead = failed.map((error) => error instanceof DeadLink)
      assert.deepEqual(isDead, [true, true, true])
    }
  })

  test('accounts that ask for each other’s addresses at once do not wait for each other', async () => {
    const { app, db } = forum
    const people = await Promise.all([1, 2, 3, 4].map(() => aPerson(db)))
    const browsers = await Promise.all(people.map((one) => signedIn(app, one, ['link'])))
    for (let round = 1; round <= 3; round += 1) {
      const asked = browsers.map((browser, index) => {
        const other = people[(index + round) % people.length]?.email ?? ''
        return browser.post('/settings/email', { new_email: other })
      })
      assert.deepEqual(valuesOf(await Promise.all(asked), 'statusCode'), [303, 303, 303, 303])
    }
  })
})
