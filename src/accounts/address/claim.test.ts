import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { giveRole } from '../../forum/courses/roles.ts'
import { act } from '../../testing/act.ts'
import { aCourse, aMember, type MadeCourse, type MadePerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowsOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { DeadLink } from '../identity/mail-links.ts'
import { newPasswordSetting } from '../sign-in/forgotten-password.ts'
import { signInLinkUse } from '../sign-in/links.ts'
import { anOwner, mailToken, NO_WAY_IN, otherPassword, signInToken, waysInto } from '../testing.ts'
import { addEveryWay, confirm, linksLeft } from './testing.ts'

suite('a role given to an address that nobody confirmed', () => {
  const forum = sharedForum()

  /** Somebody who signed up under an address that isn’t theirs, with every way in, and a role that its owner was given. */
  async function aSquatter(role: 'learner' | 'assistant' | 'instructor' = 'instructor') {
    const { app, db } = forum
    const squatter = await anOwner(db, { isConfirmed: false })
    await addEveryWay(app, squatter)
    const course = await aCourse(db)
    assert.equal(await within(db, giveRole, course.id, squatter.email, role), 'waiting')
    return { ...squatter, course, ways: await waysInto(db, squatter) }
  }

  async function roleOf({ id, course }: MadePerson & { readonly course: MadeCourse }) {
    const [row] = await rowsOf(forum.db, 'course_members', { person_id: id, course_id: course.id })
    return row?.role ?? null
  }

  test('goes to nobody who signed up under it', async () => {
    for (const role of ['instructor', 'learner'] as const)
      assert.equal(await roleOf(await aSquatter(role)), null)
  })

  test('is the owner’s once their mailbox is opened, and every other way in has ended, whatever opened it', async () => {
    const { app, db } = forum
    const password = await otherPassword(app)
    const opened: Readonly<Record<string, (squatter: MadePerson) => Promise<unknown>>> = {
      confirmation: async (squatter) => confirm(db, await mailToken(db, squatter, 'confirm-email'), false),
      'new password': async (squatter) => {
        const key = await mailToken(db, squatter, 'new-password')
        return act(forum, newPasswordSetting, { actor: null, key, input: password })
      },
      'sign-in link': async (squatter) =>
        act(forum, signInLinkUse, { actor: null, key: await signInToken(db, squatter) }),
    }
    for (const [way, open] of Object.entries(opened)) {
      const squatter = await aSquatter()
      await mailToken(db, squatter, 'undo-second-factor')
      await open(squatter)
      assert.equal(await roleOf(squatter), 'instructor', way)
      const passwords = way === 'new password' ? 1 : 0
      assert.deepEqual(await waysInto(db, squatter), { ...NO_WAY_IN, email: squatter.email, passwords }, way)
      assert.deepEqual(await linksLeft(db, squatter), way === 'confirmation' ? ['new-password'] : [], way)
      assert.deepEqual(await rowsOf(db, 'pending_roles', { email: squatter.email }), [], way)
    }
  })

  test('is theirs without losing anything, when they signed up themselves', async () => {
    const { db } = forum
    const squatter = await aSquatter()
    await confirm(db, await mailToken(db, squatter, 'confirm-email'))
    assert.equal(await roleOf(squatter), 'instructor')
    assert.deepEqual(await waysInto(db, squatter), squatter.ways)
  })

  test('is never that of an account that is only to be moved to the address', async () => {
    const { db } = forum
    const thief = await anOwner(db)
    const token = await mailToken(db, { ...thief, email: 'professor@example.org' }, 'change-email')
    await assert.rejects(confirm(db, token, false), DeadLink)
    assert.equal((await waysInto(db, thief)).email, thief.email)
  })

  test('makes nobody less than they are already', async () => {
    const squatter = await aSquatter('learner')
    await aMember(forum.db, squatter.course, 'assistant', squatter)
    await confirm(forum.db, await mailToken(forum.db, squatter, 'confirm-email'), false)
    assert.equal(await roleOf(squatter), 'assistant')
  })
})
