import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { addPasskeyRow } from '../passkeys/row-testing.ts'
import { aForum, lettersTo, linkTo, PASSWORD } from '../testing.ts'
import { addLinkRow, addProviderRow } from './row-testing.ts'
import { aForumWithProvider, comeBy, personIn, signInBy, waitingAt } from './testing.ts'

const PATH = '/settings/sign-in'

suite('the ways to sign in, in the settings', () => {
  test('are shown with how to link and to unlink; unlinking ends what began with it, and is told', async (t) => {
    const { app, db, person, provider } = await aForumWithProvider(t)
    const owner = await signedIn(app, person)
    assert.match(
      (await owner.get('/settings/security')).body,
      /href="\/sign-in\/with\/oidc\?next=%2Fsettings%2Fsecurity%23sign-in"/,
    )
    const { state } = waitingAt(await signInBy(owner, provider, `?next=${PATH}`))
    await owner.post('/sign-in/with/oidc/link', { state, current_password: PASSWORD })
    assert.match(
      textOf((await owner.get('/settings/security')).body),
      /Hanbit University mina@school\.example Linked/,
    )
    const elsewhere = await comeBy(app, provider)
    const { id } = await db.selectFrom('linked_accounts').select('id').executeTakeFirstOrThrow()
    const unlinked = await owner.post(`${PATH}/links/${id}/delete`, { current_password: PASSWORD })
    assert.equal(unlinked.headers.location, '/settings/security#sign-in')
    assert.match(textOf((await owner.follow(unlinked)).body), /Hanbit University unlinked\./)
    assert.equal(await personIn(elsewhere), null)
    assert.ok((await personIn(owner)) !== null)
    assert.equal((await lettersTo(db, person.email)).at(-1)?.kind, 'accountUnlinked')
  })

  test('keep the last one, whichever it is', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = await signedIn(app, person)
    assert.match((await browser.get('/settings/security')).body, /disabled aria-describedby="only-password"/)
    const kept = await browser.post(`${PATH}/password/delete`, { current_password: PASSWORD })
    assert.match(textOf((await browser.follow(kept)).body), /your only way to sign in/)
    const link = await addLinkRow(db, person.id, await addProviderRow(db))
    const removed = await browser.post(`${PATH}/password/delete`, { current_password: PASSWORD })
    assert.match(textOf((await browser.follow(removed)).body), /Password removed/)
    assert.equal((await lettersTo(db, person.email)).at(-1)?.kind, 'passwordRemoved')
    const prove = () => db.updateTable('sessions').set({ proof: 'passkey', proved_at: new Date() }).execute()
    await prove()
    await browser.post(`${PATH}/links/${link}/delete`)
    assert.equal((await db.selectFrom('linked_accounts').selectAll().execute()).length, 1)
    assert.match((await browser.get('/settings/security')).body, /disabled aria-describedby="last"/)
    const passkey = await addPasskeyRow(db, person.id)
    await browser.post(`${PATH}/links/${link}/delete`)
    assert.equal((await db.selectFrom('linked_accounts').selectAll().execute()).length, 0)
    await prove()
    await browser.post(`/settings/passkeys/${passkey}/delete`)
    assert.equal((await db.selectFrom('passkeys').selectAll().execute()).length, 1)
  })

  test('of an account without an address take one, which its owner confirms', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    provider.answers.claims = { email: undefined }
    const browser = await comeBy(app, provider)
    assert.match(textOf((await browser.get('/settings')).body), /Without an email address you get no email/)
    await browser.post('/settings/email', { new_email: 'mina@new.example' })
    const { token } = await linkTo(db, 'mina@new.example')
    await browser.post('/confirm-email', { token })
    const mina = await db
      .selectFrom('people')
      .selectAll()
      .where('email', '=', 'mina@new.example')
      .executeTakeFirstOrThrow()
    assert.ok(mina.email_confirmed_at !== null)
  })

  test('go with the account, and come along in its data', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    provider.answers.claims = { auth_time: Math.floor(Date.now() / 1000) }
    const browser = await comeBy(app, provider)
    const data = (await browser.get('/settings/account/data')).json()
    assert.deepEqual(
      data.linkedAccounts.map(({ issuer, subject }: { issuer: string; subject: string }) => [
        issuer,
        subject,
      ]),
      [[provider.issuer, 'mina']],
    )
    const left = await browser.post('/settings/account/delete', { posts: 'keep', display_name: 'Mina Kim' })
    assert.equal(left.statusCode, 303)
    assert.deepEqual(await db.selectFrom('linked_accounts').selectAll().execute(), [])
    assert.equal(await personIn(await comeBy(app, provider)), 'Mina Kim')
    assert.equal(await personIn(visitor(app)), null)
  })
})
