import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { EventName } from '../../kernel/audit/kinds.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { valueIn } from '../../testing/page.ts'
import { rowsOf } from '../../testing/rows.ts'
import { DeadLink } from '../identity/mail-links.ts'
import { emailChangeRequest } from '../settings/operations.ts'
import {
  anOwner,
  inSession,
  isSignedIn,
  kindsTo,
  lettersTo,
  linkTo,
  mailToken,
  PASSWORD,
  signInToken,
  waysInto,
} from '../testing.ts'
import { AddressTaken } from './address.ts'
import { confirm, linksLeft, moveTo } from './testing.ts'

suite('changing the e-mail address', () => {
  const forum = sharedForum()

  /** Somebody in a session of theirs, and the address that they want. */
  async function aMover() {
    const owner = await anOwner(forum.db)
    const own = await inSession(forum.db, owner)
    const email = `new-${owner.id}@example.org`
    const noted: EventName[] = []
    const ask = (wanted = email) =>
      act(forum, emailChangeRequest, { ...own, noted, input: { new_email: wanted } })
    return { owner, own, email, noted, ask, address: async () => (await waysInto(forum.db, owner)).email }
  }

  test('happens when the new mailbox confirms it with the account’s password, or where it was asked for', async () => {
    const { app, db } = forum
    for (const isElsewhere of [true, false]) {
      const { owner, email, address } = await aMover()
      const browser = await signedIn(app, owner)
      const change = { new_email: ` ${email.toUpperCase()}`, email_password: PASSWORD }
      const wrong = await browser.post('/settings/email', { ...change, email_password: 'not this' })
      assert.equal(valueIn(wrong.body, 'new_email'), change.new_email, 'what was typed is kept')
      const asked = await browser.post('/settings/email', change)
      assert.equal(asked.headers.location, '/settings#email')
      const { path, token } = await linkTo(db, email)
      const opener = isElsewhere ? visitor(app) : browser
      assert.equal(/account_password/.test((await opener.get(path)).body), isElsewhere)
      assert.equal(await address(), owner.email, 'neither asking nor opening the link changes it')
      if (isElsewhere) assert.equal((await opener.post('/confirm-email', { token })).statusCode, 422)
      const fields = isElsewhere ? { token, account_password: PASSWORD } : { token }
      assert.equal((await opener.post('/confirm-email', fields)).statusCode, 303)
      assert.equal(await address(), email)
      assert.ok(await isSignedIn(browser))
    }
  })

  test('ends what was sent to the old address, which is told', async () => {
    const { db } = forum
    const { owner, own, email } = await aMover()
    await signInToken(db, owner)
    for (const purpose of ['new-password', 'confirm-email'] as const) await mailToken(db, owner, purpose)
    await moveTo(db, own, email)
    assert.deepEqual(await rowsOf(db, 'sign_in_links', { person_id: owner.id }), [])
    assert.deepEqual(await linksLeft(db, owner), ['undo-email-change'])
    const told = (await lettersTo(db, owner.email)).at(-1)
    assert.equal(told?.kind, 'addressChanged')
    assert.ok(told.text.includes(email))
  })

  test('says nothing of whose an address is, and tells its owner once a day', async () => {
    const { app, db } = forum
    const { owner, ask, email } = await aMover()
    const other = await anOwner(db)
    const browser = await signedIn(app, owner, ['link'])
    const post = async (new_email: string) => {
      const { statusCode, headers } = await browser.post('/settings/email', { new_email })
      return [statusCode, headers.location, headers['set-cookie']]
    }
    const free = await post(email)
    for (let asked = 0; asked < 2; asked += 1) assert.deepEqual(await post(other.email), free)
    assert.deepEqual(await kindsTo(db, other.email), ['addressTaken'])
    for (let asked = 3; asked < 5; asked += 1) await ask()
    await assert.rejects(ask(), { key: 'tooOften' })
    await confirm(db, (await linkTo(db, email)).token)
  })

  test('is asked for with another address, of which the last one asked for counts, and is noted', async () => {
    const { db } = forum
    const { owner, own, email, noted, ask } = await aMover()
    await ask()
    const { token } = await linkTo(db, email)
    await ask(`other-${owner.id}@example.org`)
    await assert.rejects(confirm(db, token), DeadLink)
    assert.deepEqual(noted, ['email-change-asked', 'email-change-asked'])
    await refuses(forum, emailChangeRequest, own, [
      [{ new_email: owner.email }, 'new_email: accounts.emailChange.same'],
      [{ new_email: 'no address' }, 'new_email: accounts.email.wrong'],
    ])
    const visitor = { ...own, actor: null, input: { new_email: email } }
    assert.equal(await refusalOf(forum, emailChangeRequest, visitor), 'sign-in')
  })

  test('fails when the address was taken meanwhile, until it is free again', async () => {
    const { db } = forum
    const { email, ask, address } = await aMover()
    await ask()
    const { token } = await linkTo(db, email)
    await anOwner(db, { email })
    await assert.rejects(confirm(db, token), AddressTaken)
    await db.deleteFrom('people').where('email', '=', email).execute()
    await confirm(db, token)
    assert.equal(await address(), email)
  })

  test('takes an address that was only claimed from the account that claimed it', async () => {
    const { db } = forum
    const { own, email, address } = await aMover()
    const squatter = await anOwner(db, { email, isConfirmed: false })
    await moveTo(db, own, email)
    assert.deepEqual([await address(), (await waysInto(db, squatter)).email], [email, null])
  })
})
