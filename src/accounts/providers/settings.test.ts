import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf } from '../../testing/rows.ts'
import { passkeyRemoval } from '../passkeys/passkey.ts'
import { addPasskeyRow } from '../passkeys/row-testing.ts'
import { passwordRemoval } from '../settings/operations.ts'
import { aForum, inSession, kindsTo, PASSWORD, waysInto } from '../testing.ts'
import { accountUnlinking } from './link.ts'
import { addLinkRow, addProviderRow } from './row-testing.ts'
import { aForumWithProvider, comeBy, personIn, signInBy, waitingAt } from './testing.ts'

const PATH = '/settings/sign-in'

suite('the ways to sign in, in the settings', () => {
  test('are shown with how to link and to unlink; unlinking ends what began with it, and is told', async (t) => {
    const { app, db, person, provider } = await aForumWithProvider(t)
    const owner = await signedIn(app, person)
    const page = async () => (await owner.get('/settings/security')).body
    assert.match(await page(), /href="\/sign-in\/with\/oidc\?next=%2Fsettings%2Fsecurity%23sign-in"/)
    const { state } = waitingAt(await signInBy(owner, provider, `?next=${PATH}`))
    await owner.post('/sign-in/with/oidc/link', { state, current_password: PASSWORD })
    assert.match(textOf(await page()), /Hanbit University mina@school\.example Linked/)
    const elsewhere = await comeBy(app, provider)
    assert.equal(await personIn(elsewhere), person.displayName)
    const { id } = await rowOf(db, 'linked_accounts', {})
    const unlinked = await owner.post(`${PATH}/links/${id}/delete`, { current_password: PASSWORD })
    assert.equal(unlinked.headers.location, '/settings/security#sign-in')
    assert.match(textOf((await owner.follow(unlinked)).body), /Hanbit University unlinked\./)
    assert.equal(await personIn(elsewhere), null)
    assert.ok((await personIn(owner)) !== null)
    assert.deepEqual(await kindsTo(db, person.email), ['accountLinked', 'accountUnlinked'])
  })

  test('keep the last one, whichever it is', async (t) => {
    const forum = await aForum(t)
    const { app, db, person } = forum
    const page = async () => (await (await signedIn(app, person)).get('/settings/security')).body
    const provider = { providerId: await addProviderRow(db), label: 'GitHub', name: 'github' }
    // A removal ends the sessions before.
    const own = async <More>(more: More) => {
      const { actor, key } = await inSession(db, person)
      return { actor, key: { ...key, ...more } }
    }
    const removal = {
      password: async () => (await act(forum, passwordRemoval, await own({}))) !== null,
      link: async (id: number) =>
        (await act(forum, accountUnlinking, await own({ link: { id, ...provider } }))) !== null,
      passkey: async (passkeyId: number) =>
        (await act(forum, passkeyRemoval, await own({ passkeyId }))) === 'removed',
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
    assert.deepEqual(await kindsTo(db, person.email), ['passwordRemoved', 'accountUnlinked'])
    const kept = await (await signedIn(app, person, ['passkey'])).post(`/settings/passkeys/${passkey}/delete`)
    assert.equal(kept.headers.location, '/settings/security#passkeys')
  })
})
