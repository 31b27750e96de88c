import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { EventName } from '../../kernel/audit/kinds.ts'
import { act, refusalOf } from '../../testing/act.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { anOwner, inSession, isSignedIn, kindsTo, lettersTo, PASSWORD, waysInto } from '../testing.ts'
import {
  appConfirmation,
  appRemoval,
  appSetUp,
  RECOVERY_CODES,
  recoveryCodesRenewal,
  useCode,
} from './second-factor.ts'
import { anApp, secretOf } from './testing.ts'
import { codeAt } from './totp.ts'

suite('a second factor in the settings', () => {
  const forum = sharedForum()

  test('is set up with a code, ends other sessions and tells the owner', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const [elsewhere, browser] = [await signedIn(app, owner), await signedIn(app, owner, ['link'])]
    const confirm = (code: string) => browser.post('/settings/second-factor/confirmation', { code })
    assert.equal((await confirm('1')).statusCode, 303, 'nothing is being set up')
    const page = await browser.follow(await browser.post('/settings/second-factor'))
    assert.match(page.body, /<svg class="qr-code"[^>]*>\s*<path d="M\d/)
    assert.match(page.body, /href="otpauth:\/\/totp\/Handup/)
    assert.equal((await confirm('no')).statusCode, 422)
    const signIn = { email: owner.email, password: PASSWORD }
    assert.equal((await visitor(app).post('/sign-in', signIn)).headers.location, '/', 'not asked for yet')

    const codes = await confirm(codeAt(await secretOf(app, owner)))
    assert.equal(codes.body.match(/<code>[\w-]{29}<\/code>/g)?.length, RECOVERY_CODES)
    assert.match(String(codes.headers['cache-control']), /no-store/)
    assert.deepEqual([await isSignedIn(browser), await isSignedIn(elsewhere)], [true, false])
    assert.deepEqual(await kindsTo(db, owner.email), ['secondFactorOn'])
    assert.match(textOf((await browser.get('/settings/security')).body), /On\..* 8 codes left/)
  })

  test('is turned on by a right code alone, in a session of its owner', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const { actor, key } = await inSession(db, owner)
    const own = { actor, key: { ...key, keys: app.secretKeys } }
    await act(forum, appSetUp, own)
    const code = codeAt(await secretOf(app, owner))
    const wrong = { ...own, input: { code: code === '000000' ? '000001' : '000000' } }
    assert.equal(await refusalOf(forum, appConfirmation, wrong), 'code: secondFactor.code.wrong')
    const ended = { actor, key: { ...own.key, sessionToken: null }, input: { code } }
    assert.equal(await refusalOf(forum, appConfirmation, ended), 'sign-in')
    assert.equal((await waysInto(db, owner)).recoveryCodes, 0)
  })

  test('gets new recovery codes, which a letter tells of, and is turned off', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const { recoveryCodes } = await anApp(app, owner)
    const noted: EventName[] = []
    const own = { ...(await inSession(db, owner)), noted }
    const [code = assert.fail()] = (await act(forum, recoveryCodesRenewal, own)) ?? []
    assert.match(code, /^[\w-]{29}$/)
    assert.equal(await useCode(db, app.secretKeys, owner.id, recoveryCodes[0] ?? ''), false, 'an old one')
    assert.equal(await useCode(db, app.secretKeys, owner.id, code), true)
    const letter = (await lettersTo(db, owner.email)).at(-1)?.text ?? ''
    assert.match(letter, /\/forgotten-password$/m)
    assert.doesNotMatch(letter, /\w{4}-\w{4}-\w{4}/)

    await act(forum, appRemoval, own)
    const { apps, recoveryCodes: left } = await waysInto(db, owner)
    assert.deepEqual([apps, left], [0, 0])
    assert.deepEqual(await kindsTo(db, owner.email), ['secondFactorOn', 'recoveryCodes', 'secondFactorOff'])
    assert.deepEqual(noted, ['recovery-codes-made', 'second-factor-off'])
    assert.equal(await act(forum, recoveryCodesRenewal, own), null, 'there is nothing that they stand in for')
  })
})
