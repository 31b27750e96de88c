import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowOf, rowsOf, valuesOf } from '../../testing/rows.ts'
import { confirm } from '../address/testing.ts'
import { anOwner, linkTo, NO_WAY_IN, PASSWORD, waysInto } from '../testing.ts'
import {
  aForumWithProvider,
  aProvider,
  comeBy,
  personIn,
  setOptions,
  signInBy,
  waitingAt,
} from './testing.ts'

const TRUST = { trusts_addresses: true, allowed_domains: ['school.example'] }
const VERIFIED = { email_verified: true }

suite('who comes back from a provider', () => {
  const forum = sharedForum()

  async function mailboxOf(id: number) {
    const { email, email_confirmed_at: at } = await rowOf(forum.db, 'people', id)
    return [email, at !== null]
  }
  async function rolesOf(id: number) {
    return valuesOf(await rowsOf(forum.db, 'course_members', { person_id: id }), 'role')
  }
  /** A role that waits for the owner of an address. */
  async function waitsFor(email: string): Promise<void> {
    const { id } = await aCourse(forum.db, { isPublic: false })
    await forum.db.insertInto('pending_roles').values({ course_id: id, email, role: 'assistant' }).execute()
  }

  test('has an account of the first time, by issuer and subject, whatever else the provider says later', async () => {
    const { arrive, email } = await aProvider(forum.db)
    const first = await arrive()
    assert.equal(first.outcome, 'created')
    const later = await arrive({ email: 'other@school.example', name: 'Somebody Else' })
    assert.deepEqual([later.outcome, later.id], ['known', first.id])
    assert.deepEqual(await mailboxOf(first.id), [email, false])
    assert.notEqual((await arrive({ sub: 'another', email: undefined })).id, first.id)
    const issued = { issuer: 'https://other.example', subject: 'elsewhere', account_name: null }
    const { id: provider_id } = await aProvider(forum.db)
    const link = { person_id: first.id, provider_id, ...issued }
    await forum.db.insertInto('linked_accounts').values(link).execute()
    const same = await arrive({ sub: 'elsewhere', email: undefined })
    assert.equal(same.outcome, 'created', 'the same subject at two issuers is two people')
  })

  test('has a name as it may be shown', async () => {
    const { arrive } = await aProvider(forum.db)
    const names: [unknown, string][] = [
      ['<b>Mina</b>', '<b>Mina</b>'],
      ['Mina \u202Elive', 'New member'],
      ['x'.repeat(1000), 'x'.repeat(50)],
      ['Administrator', 'New member'],
      ['\u200B', 'New member'],
      [7, 'New member'],
    ]
    for (const [index, [name, shown]] of names.entries()) {
      const { id } = await arrive({ sub: `person-${index}`, name, email: undefined })
      assert.equal((await rowOf(forum.db, 'people', id)).display_name, shown)
    }
  })

  test('has an address that is confirmed where the provider verified it and is trusted for its domain', async () => {
    const { arrive, email } = await aProvider(forum.db, TRUST)
    const { id } = await arrive(VERIFIED)
    assert.deepEqual(await mailboxOf(id), [email, true])
    for (const claims of [{ email_verified: false }, { ...VERIFIED, email: 'x@elsewhere.example' }])
      await assert.rejects(arrive({ sub: 'another', ...claims }), { reason: 'domain' })
  })

  test('takes an address that nobody confirmed from the account that claimed it, and the role that waits for its owner', async () => {
    const { db } = forum
    const { arrive, email } = await aProvider(db, TRUST)
    const squatter = await anOwner(db, { email, isConfirmed: false })
    await waitsFor(email)
    const arrival = await arrive(VERIFIED)
    assert.ok(arrival.outcome === 'created' && arrival.mailbox === 'freed')
    assert.deepEqual(await mailboxOf(arrival.id), [email, true])
    assert.deepEqual(await rolesOf(arrival.id), ['assistant'])
    assert.deepEqual(await waysInto(db, squatter), { ...NO_WAY_IN, email: null })
  })

  test('takes no unconfirmed address from an account that has a role, or by a provider that is not trusted for it', async () => {
    const { db } = forum
    const { arrive, email, set } = await aProvider(db)
    const holder = await anOwner(db, { email, isConfirmed: false })
    assert.deepEqual(await mailboxOf((await arrive(VERIFIED)).id), [null, false])
    await aMember(db, await aCourse(db), 'assistant', holder)
    await set(TRUST)
    assert.deepEqual(await mailboxOf((await arrive({ ...VERIFIED, sub: 'another' })).id), [null, false])
    assert.equal((await waysInto(db, holder)).email, email)
  })

  test('is offered a confirmed account with their address, or gets another without one where they choose it', async () => {
    const { db } = forum
    const { arrive, email, set } = await aProvider(db, TRUST)
    const owner = await anOwner(db, { email })
    assert.equal((await arrive(VERIFIED)).outcome, 'unlinked')
    await set({ creates_accounts: false })
    assert.equal((await arrive(VERIFIED, { isChosen: true })).outcome, 'unlinked')
    await set({ creates_accounts: true })
    const { id } = await arrive(VERIFIED, { isChosen: true })
    assert.deepEqual(await mailboxOf(id), [null, false])
    assert.equal((await waysInto(db, owner)).links, 0)
  })

  test('has their address confirmed by one that is trusted from now on, with the roles that wait for it', async () => {
    const { arrive, email, set } = await aProvider(forum.db)
    await waitsFor(email)
    const { id } = await arrive(VERIFIED)
    await arrive(VERIFIED)
    assert.deepEqual(await mailboxOf(id), [email, false], 'not trusted, however often')
    await set(TRUST)
    await arrive(VERIFIED)
    assert.deepEqual(await mailboxOf(id), [email, true])
    assert.deepEqual(await rolesOf(id), ['assistant'])
  })

  test('gets an address from one that is trusted from now on, where their account began without one', async () => {
    const { arrive, email, set } = await aProvider(forum.db)
    const { id } = await arrive({ email: undefined })
    await set(TRUST)
    await arrive(VERIFIED)
    assert.deepEqual(await mailboxOf(id), [email, true])
  })

  test('keeps an empty account beside that of their address where they prefer it, and is offered nothing once it has a post', async () => {
    const { db } = forum
    const { arrive, email, set } = await aProvider(db)
    await anOwner(db, { email })
    const { id } = await arrive(VERIFIED)
    await set(TRUST)
    assert.equal((await arrive(VERIFIED)).outcome, 'unlinked')
    assert.equal((await arrive(VERIFIED, { isChosen: true })).id, id)
    await anAnswer(db, { author: { id } })
    assert.equal((await arrive(VERIFIED)).id, id)
  })

  test('who signed up with the address of another loses their link when its owner claims the account', async () => {
    const { db } = forum
    const { arrive, email } = await aProvider(db)
    const { id } = await arrive()
    await confirm(db, (await linkTo(db, email)).token, false)
    assert.deepEqual(await waysInto(db, { id }), { ...NO_WAY_IN, email })
  })
})

suite('an empty account beside one’s own', () => {
  test('goes when the account there is linked to the one that has its address, and is nobody else’s to take', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    provider.answers.claims = VERIFIED
    const own = await anOwner(db, { email: 'mina@school.example', displayName: 'Mina herself' })
    await comeBy(app, provider)
    await setOptions(app, TRUST)
    assert.equal((await signInBy(await signedIn(app, await anOwner(db)), provider)).statusCode, 409)
    const browser = await signedIn(app, own)
    const { path } = waitingAt(await signInBy(browser, provider))
    const linked = await browser.post(path, { current_password: PASSWORD })
    assert.equal(linked.statusCode, 303)
    assert.equal(await personIn(await comeBy(app, provider)), 'Mina herself')
    assert.equal((await rowsOf(db, 'people', { display_name: 'Former member' })).length, 1)
  })
})
