import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, anAnswer, aPerson } from '../../testing/builders.ts'
import { textOf } from '../../testing/page.ts'
import { hashPassword } from '../identity/passwords.ts'
import { PASSWORD } from '../testing.ts'
import { aForumWithProvider, comeBy, personIn, setOptions, signInBy, waitingAt } from './testing.ts'

const ADDRESS = 'mina@school.example'
const TRUST = { trusts_addresses: true, allowed_domains: ['school.example'] }

/** A forum whose provider verifies addresses, which it isn't trusted with yet. */
async function aForumBeforeTrust(t: Parameters<typeof aForumWithProvider>[0]) {
  const forum = await aForumWithProvider(t)
  forum.provider.answers.claims = { email_verified: true }
  const addressOf = (name: string) =>
    forum.db
      .selectFrom('people')
      .select(['id', 'email', 'email_confirmed_at'])
      .where('display_name', '=', name)
      .executeTakeFirstOrThrow()
  return { ...forum, addressOf }
}

suite('a provider that is trusted with addresses from now on', () => {
  test('confirms an address at the next sign-in, and gives the roles that wait for it', async (t) => {
    const { app, db, provider, addressOf } = await aForumBeforeTrust(t)
    const course = await aCourse(db)
    await db
      .insertInto('pending_roles')
      .values({ course_id: course.id, email: ADDRESS, role: 'assistant' })
      .execute()
    await comeBy(app, provider)
    assert.equal((await addressOf('Mina Kim')).email_confirmed_at, null)
    await comeBy(app, provider)
    assert.equal((await addressOf('Mina Kim')).email_confirmed_at, null, 'not trusted, however often')
    await setOptions(app, TRUST)
    await comeBy(app, provider)
    const { id, email_confirmed_at } = await addressOf('Mina Kim')
    assert.notEqual(email_confirmed_at, null)
    const member = await db.selectFrom('course_members').select('role').where('person_id', '=', id).execute()
    assert.deepEqual(member, [{ role: 'assistant' }])
  })

  test('gives an address to an account that began without one', async (t) => {
    const { app, provider, addressOf } = await aForumBeforeTrust(t)
    provider.answers.claims = { email: undefined }
    await comeBy(app, provider)
    await setOptions(app, TRUST)
    provider.answers.claims = { email_verified: true }
    await comeBy(app, provider)
    const { email, email_confirmed_at } = await addressOf('Mina Kim')
    assert.equal(email, ADDRESS)
    assert.notEqual(email_confirmed_at, null)
  })

  test('offers the account that has the address where the linked one is empty, which then goes', async (t) => {
    const { app, db, provider, addressOf } = await aForumBeforeTrust(t)
    const passwordHash = await hashPassword(PASSWORD)
    const own = await aPerson(db, { email: ADDRESS, displayName: 'Mina herself', passwordHash })
    await comeBy(app, provider)
    const { id, email } = await addressOf('Mina Kim')
    assert.equal(email, null)
    await setOptions(app, TRUST)
    const offered = await signInBy(visitor(app), provider)
    assert.match(String(offered.headers.location), /^\/sign-in\/with\/oidc\/link/)

    const browser = await signedIn(app, own)
    const back = await signInBy(browser, provider)
    const link = String(back.headers.location)
    assert.match(link, /^\/sign-in\/with\/oidc\/link/)
    const linked = await browser.post(link, { current_password: PASSWORD })
    assert.equal(linked.statusCode, 303, textOf(linked.body))
    assert.equal(await personIn(await comeBy(app, provider)), 'Mina herself')
    const gone = await db
      .selectFrom('people')
      .select('left_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    assert.notEqual(gone.left_at, null)
  })

  test('lets somebody stay who prefers the empty account, and offers nothing once it has a post', async (t) => {
    const { app, db, provider, addressOf } = await aForumBeforeTrust(t)
    await aPerson(db, { email: ADDRESS, displayName: 'Mina herself' })
    await comeBy(app, provider)
    await setOptions(app, TRUST)
    const browser = visitor(app)
    const { state } = waitingAt(await signInBy(browser, provider))
    const stayed = await browser.post('/sign-in/with/oidc/account', { state })
    assert.equal(stayed.statusCode, 303, textOf(stayed.body))
    assert.equal(await personIn(browser), 'Mina Kim')
    await anAnswer(db, { author: await addressOf('Mina Kim') })
    assert.equal(await personIn(await comeBy(app, provider)), 'Mina Kim')
  })

  test('takes nothing from another account, whatever the address of who is signed in', async (t) => {
    const { app, db, provider } = await aForumBeforeTrust(t)
    await aPerson(db, { email: ADDRESS, displayName: 'Mina herself' })
    await comeBy(app, provider)
    await setOptions(app, TRUST)
    const stranger = await signedIn(app, await aPerson(db))
    assert.equal((await signInBy(stranger, provider)).statusCode, 409)
  })
})
