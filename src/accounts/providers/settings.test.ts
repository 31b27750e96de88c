import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { passkeyRemoval } from '../passkeys/passkey.ts'
import { addPasskeyRow } from '../passkeys/row-testing.ts'
import { passwordRemoval } from '../settings/operations.ts'
import { aForum, inSession, lettersTo, PASSWORD, waysInto } from '../testing.ts'
import { accountUnlinking } from './link.ts'
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
    assert.equal((await lettersTo(db, person.email)).at(-1)?.kind, 'accountLinked')
    const elsewhere = await comeBy(app, provider)
    assert.equal(await personIn(elsewhere), person.displayName)
    const { id } = await db.selectFrom('linked_accounts').select('id').executeTakeFirstOrThrow()
    const unlinked = await owner.post(`${PATH}/links/${id}/delete`, { current_password: PASSWORD })
    assert.equal(unlinked.headers.location, '/settings/security#sign-in')
    assert.match(textOf((await owner.follow(unlinked)).body), /Hanbit University unlinked\./)
    assert.equal(await personIn(elsewhere), null)
    assert.ok((await personIn(owner)) !== null)
    assert.equal((await lettersTo(db, person.email)).at(-1)?.kind, 'accountUnlinked')
  })

  test('keep the last one, whichever it is', async (t) => {
    const forum = await aForum(t)
    const { app, db, person } = forum
    const page = async () => (await (await signedIn(app, person)).get('/settings/security')).body
    const provider = { providerId: await addProviderRow(db), label: 'GitHub', name: 'github' }
    const removal = {
      async password() {
        const own = await inSession(db, person)
        return (await act(forum, passwordRemoval, own)) !== null
      },
      async link(id: number) {
        const { actor, key } = await inSession(db, person)
        return (
          (await act(forum, accountUnlinking, { actor, key: { ...key, link: { id, ...provider } } })) !== null
        )
      },
      async passkey(passkeyId: number) {
        const { actor, key } = await inSession(db, person)
        return (await act(forum, passkeyRemoval, { actor, key: { ...key, passkeyId } })) === 'removed'
      },
    }
    assert.match(await page(), /disabled aria-describedby="only-password"/)
    assert.equal(await removal.password(), false)
    const link = await addLinkRow(db, person.id, provider.providerId)
    assert.equal(await removal.password(), true)
    assert.equal(await removal.link(link), false)
    assert.match(await page(), /disabled aria-describedby="last"/)
    const passkey = await addPasskeyRow(db, person.id)
    assert.equal(await removal.link(link), true)
    assert.equal(await removal.passkey(passkey), false)
    const { passwords, links, passkeys } = await waysInto(db, person)
    assert.deepEqual({ passwords, links, passkeys }, { passwords: 0, links: 0, passkeys: 1 })
    const kinds = (await lettersTo(db, person.email)).map(({ kind }) => kind)
    assert.deepEqual(kinds, ['passwordRemoved', 'accountUnlinked'])
    const kept = await (await signedIn(app, person, ['passkey'])).post(`/settings/passkeys/${passkey}/delete`)
    assert.equal(kept.headers.location, '/settings/security#passkeys')
  })
})
