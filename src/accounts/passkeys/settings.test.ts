import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'
import { appRemoval, recoveryCodesRenewal } from '../second-factor/second-factor.ts'
import { anApp } from '../second-factor/testing.ts'
import { anOwner, inSession, isSignedIn, kindsTo, PASSWORD, waysInto } from '../testing.ts'
import { Authenticator } from './authenticator-testing.ts'
import { MAX_PASSKEYS, passkeyAddition, passkeyRemoval, passkeyRenaming } from './passkey.ts'
import { addPasskeyRow } from './row-testing.ts'
import { addPasskey, aPasskey, optionsIn, signInWith } from './testing.ts'

const PATH = '/settings/passkeys'

suite('passkeys in the settings', () => {
  const forum = sharedForum()
  const kindsOf = ({ email }: { readonly email: string }) => kindsTo(forum.db, email)
  const passkeysOf = ({ id }: { readonly id: number }) => rowsOf(forum.db, 'passkeys', { person_id: id })

  test('are added; the first brings recovery codes and ends other sessions', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const [elsewhere, browser] = [await signedIn(app, owner), await signedIn(app, owner)]
    const codes = await addPasskey(browser, new Authenticator())
    assert.equal(codes.body.match(/<code>[\w-]{29}<\/code>/g)?.length, 8)
    assert.ok(!(await isSignedIn(elsewhere)))
    const second = await addPasskey(browser, new Authenticator(), { name: 'Blue <key>' })
    assert.equal(second.headers.location, '/settings/security#passkeys')
    assert.deepEqual(await kindsOf(owner), ['passkeyAdded', 'passkeyAdded'])
    const page = textOf((await browser.get('/settings/security')).body)
    assert.match(page, /My phone Added \d+ \w{3} \d{4}, \d\d:\d\d Not used yet .* Blue <key>/)
    assert.match(page, /passkey.* 8 codes left/)
  })

  test('are refused when the browser’s answer is not its own, or comes again', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const browser = await signedIn(app, owner, ['link'])
    assert.equal((await addPasskey(browser, new Authenticator(), { isVerified: false })).statusCode, 422)
    const key = new Authenticator()
    const options = optionsIn((await browser.post(`${PATH}/new`)).body)
    const form = { name: 'Mine', _passkey: key.make(options) }
    const other = await signedIn(app, await anOwner(db))
    for (const [name, value] of browser.cookies) if (/challenge/.test(name)) other.cookies.set(name, value)
    assert.equal((await other.post(PATH, form)).statusCode, 422, 'somebody else’s challenge')
    assert.equal((await browser.post(PATH, form)).statusCode, 200)
    assert.equal((await browser.post(PATH, form)).statusCode, 422, 'sent again')
    assert.equal((await addPasskey(browser, key)).statusCode, 422, 'known already')
    assert.equal((await passkeysOf(owner)).length, 1)
  })

  test('want a name, which may be mended without the password, and are twenty at the most', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const browser = await signedIn(app, owner)
    const key = new Authenticator()
    const again = await addPasskey(browser, key, { name: ' ' })
    assert.equal(again.statusCode, 422)
    const _passkey = key.make(optionsIn(again.body))
    assert.equal((await browser.post(PATH, { name: 'Mine', _passkey })).statusCode, 200)
    for (let number = 1; number < MAX_PASSKEYS; number += 1) await addPasskeyRow(db, owner.id)
    const more = { ...(await inSession(db, owner)), input: { name: 'More', made: {} } }
    assert.equal(await refusalOf(forum, passkeyAddition, more), 'adding: passkeys.many')
    assert.equal((await passkeysOf(owner)).length, MAX_PASSKEYS)
  })

  test('are renamed and removed, each on a page of its own', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const { browser, key } = await aPasskey(app, owner)
    const [{ id } = assert.fail()] = await passkeysOf(owner)
    const path = `${PATH}/${id}`
    for (const [form, shown] of [
      [path, 'Other'],
      [`${path}/delete`, 'My phone'],
    ] as const) {
      const refused = await browser.post(form, { name: 'Other', current_password: 'no' })
      assert.equal(valueIn(refused.body, 'name'), shown)
    }
    const confirmed = { current_password: PASSWORD }
    const named = await browser.post(path, { name: 'Old phone', ...confirmed })
    assert.match(textOf((await browser.follow(named)).body), /Passkey renamed.*Old phone/)
    assert.equal((await browser.post(`${path}/delete`, confirmed)).statusCode, 303)
    assert.deepEqual(await kindsOf(owner), ['passkeyAdded', 'secondFactorOff'])
    assert.equal((await waysInto(db, owner)).recoveryCodes, 0)
    assert.equal((await signInWith(visitor(app), key)).statusCode, 422)
  })

  test('are renamed and removed by their owner alone', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const passkeyId = await addPasskeyRow(db, owner.id)
    const { actor, key } = await inSession(db, await anOwner(db))
    await addPasskeyRow(db, actor.id)
    const theirs = { actor, key: { ...key, passkeyId }, input: { name: 'x' } }
    for (const operation of [passkeyRenaming, passkeyRemoval])
      assert.equal(await refusalOf(forum, operation, theirs), 'notFound', operation.name)
    assert.deepEqual(valuesOf(await passkeysOf(owner), 'name'), ['A phone'])
    assert.equal((await (await signedIn(app, actor)).get(`${PATH}/${passkeyId}`)).statusCode, 404)
  })

  test('keep the recovery codes while an app is there, and the other way round', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    await anApp(app, owner)
    assert.deepEqual((await aPasskey(app, owner)).recoveryCodes, [], 'there were some')
    const own = await inSession(db, owner)
    await act(forum, appRemoval, own)
    assert.equal((await kindsOf(owner)).at(-1), 'factorRemoved')
    assert.equal((await waysInto(db, owner)).recoveryCodes, 8)
    assert.equal((await act(forum, recoveryCodesRenewal, own))?.length, 8)
  })

  test('are in the data one takes along by name and date', async () => {
    const { browser } = await aPasskey(forum.app, await anOwner(forum.db))
    const { passkeys } = (await browser.get('/settings/account/data')).json()
    assert.deepEqual(Object.keys(passkeys[0]).sort(), ['addedAt', 'lastUsedAt', 'name'])
  })
})
