import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { act } from '../../testing/act.ts'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { DeadLink } from '../identity/mail-links.ts'
import { aPasskey } from '../passkeys/testing.ts'
import { anApp } from '../second-factor/testing.ts'
import { newPasswordSetting } from '../sign-in/forgotten-password.ts'
import {
  anOwner,
  inSession,
  isSignedIn,
  linkTo,
  mailToken,
  NO_WAY_IN,
  otherPassword,
  tokenIn,
  waysInto,
} from '../testing.ts'
import { takingBack } from './address-routes.ts'
import { addEveryWay, moveTo } from './testing.ts'

/** Counts the ways that `addEveryWay` gave before. */
const OWN = { passkeys: 1, apps: 1, recoveryCodes: 8, links: 1 }

suite('taking back an account', () => {
  const forum = sharedForum()

  /** An account whose address a thief has changed, and the token of the way back that its owner got. */
  async function aStolen() {
    const owner = await anOwner(forum.db)
    const thief = await inSession(forum.db, owner)
    await moveTo(forum.db, thief, `thief-${owner.id}@example.org`)
    return { owner, thief, ...(await linkTo(forum.db, owner.email)) }
  }

  /** @returns the token of a link to a new password */
  const takeBack = (
    token: string,
    purpose: 'undo-email-change' | 'undo-second-factor' = 'undo-email-change',
  ) => act(forum, takingBack, { actor: null, key: { purpose, token } })

  test('leads by the page of the letter to a new password, and ends what is there on the way', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    const { browser: thief } = await anApp(app, owner)
    const { path, token } = await linkTo(db, owner.email)
    assert.match(path, /^\/undo-second-factor\?token=/)
    const browser = visitor(app)
    assert.ok((await browser.get(path)).body.includes(owner.email))
    assert.ok(await isSignedIn(thief), 'opening the link changes nothing')
    const undone = await browser.post('/undo-second-factor', { token }, { page: path })
    assert.match(String(undone.headers.location), /^\/new-password\?token=/)
    assert.deepEqual(await waysInto(db, owner), { ...NO_WAY_IN, email: owner.email })
    const key = tokenIn(undone.headers.location)
    await act(forum, newPasswordSetting, { actor: null, key, input: await otherPassword(app) })
    assert.equal((await waysInto(db, owner)).passwords, 1)
  })

  test('works after a thief has changed the address twice and gone one step back', async () => {
    const { db } = forum
    const { owner, thief, token } = await aStolen()
    await moveTo(db, thief, `thief-2-${owner.id}@example.org`)
    await takeBack((await linkTo(db, `thief-${owner.id}@example.org`)).token)
    await takeBack(token)
    assert.deepEqual(await waysInto(db, owner), { ...NO_WAY_IN, email: owner.email })
  })

  test('takes the address away from an account that only claimed it, whose posts stay', async () => {
    const { app, db } = forum
    const { owner, token } = await aStolen()
    const squatter = await anOwner(db, { email: owner.email, isConfirmed: false })
    await addEveryWay(app, squatter)
    const question = await aQuestion(db, { author: squatter })
    await takeBack(token)
    assert.equal((await waysInto(db, owner)).email, owner.email)
    assert.deepEqual(await waysInto(db, squatter), { ...NO_WAY_IN, email: null })
    const { author_id, deleted_at } = await rowOf(db, 'questions', question.id)
    assert.deepEqual([author_id, deleted_at], [squatter.id, null])
  })

  test('waits for a person who proved that the address is theirs, or was given a role', async () => {
    const { db } = forum
    for (const claim of ['confirmed', 'staff', 'admin'] as const) {
      const { owner, token } = await aStolen()
      const { email } = owner
      const is = { isConfirmed: claim === 'confirmed', isAdmin: claim === 'admin' }
      const holder = await anOwner(db, { email, ...is })
      if (claim === 'staff') await aMember(db, await aCourse(db), 'assistant', holder)
      await assert.rejects(takeBack(token), DeadLink, claim)
      assert.equal((await waysInto(db, holder)).email, email, claim)

      await setRows(db, 'people', holder.id, { email: `moved-${claim}@example.org` })
      await takeBack(token)
      assert.equal((await waysInto(db, owner)).email, email, `${claim}: a try that failed leaves the link`)
    }
  })

  test('takes along what came with the letter or after it, and leaves the owner’s own', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    await addEveryWay(app, owner, 'Mine')
    await aPasskey(app, owner, 'A thief’s')
    const { token } = await linkTo(db, owner.email)
    await addEveryWay(app, owner, 'Later')
    await takeBack(token, 'undo-second-factor')
    assert.deepEqual(valuesOf(await rowsOf(db, 'passkeys', { person_id: owner.id }), 'name'), ['Mine'])
    assert.deepEqual(await waysInto(db, owner), { ...NO_WAY_IN, ...OWN, email: owner.email })
  })

  test('takes along what came since the address was changed, and leaves the owner’s own', async () => {
    const { app, db } = forum
    const { owner, token } = await aStolen()
    await anApp(app, owner)
    await addEveryWay(app, owner, 'Later')
    await takeBack(token)
    assert.deepEqual(await waysInto(db, owner), { ...NO_WAY_IN, email: owner.email })

    const other = await anOwner(db)
    await addEveryWay(app, other)
    await moveTo(db, await inSession(db, other), `thief-${other.id}@example.org`)
    await takeBack((await linkTo(db, other.email)).token)
    assert.deepEqual(await waysInto(db, other), { ...NO_WAY_IN, ...OWN, email: other.email })
  })

  test('brings the address back by the letter of a second factor, too, and leaves the thief no way back', async () => {
    const { app, db } = forum
    const owner = await anOwner(db)
    await anApp(app, owner)
    const { token } = await linkTo(db, owner.email)
    const thief = await inSession(db, owner)
    for (const step of [1, 2]) await moveTo(db, thief, `thief-${step}-${owner.id}@example.org`)
    const thiefs = await linkTo(db, `thief-1-${owner.id}@example.org`)
    await takeBack(token, 'undo-second-factor')
    assert.deepEqual(await waysInto(db, owner), { ...NO_WAY_IN, email: owner.email })
    await assert.rejects(takeBack(thiefs.token), DeadLink)
  })

  test('leaves nothing of who signed up under an address that nobody has confirmed', async () => {
    const { app, db } = forum
    const squatter = await anOwner(db, { isConfirmed: false })
    await addEveryWay(app, squatter)
    const token = await mailToken(db, squatter, 'undo-second-factor')
    const other = await mailToken(db, squatter, 'undo-email-change')
    await takeBack(token, 'undo-second-factor')
    assert.deepEqual(await waysInto(db, squatter), { ...NO_WAY_IN, email: squatter.email })
    await assert.rejects(takeBack(other), DeadLink)
  })
})
