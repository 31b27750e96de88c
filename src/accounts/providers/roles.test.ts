import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Role } from '../../database/schema.ts'
import { lectureAdding } from '../../forum/lectures/operations.ts'
import type { EventName } from '../../kernel/audit/kinds.ts'
import { applyClaims } from '../../kernel/rights/claimed-roles.ts'
import { act, refusalOf, refuses } from '../../testing/act.ts'
import { aCourse } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { anOwner, inSession, overtaken } from '../testing.ts'
import { accountUnlinking } from './link.ts'
import { providerRoleAddition, providerRoleRemoval } from './operations.ts'
import { aProvider } from './testing.ts'

const VALUES = { students: 'learner', tutors: 'assistant', teachers: 'instructor' } as const

suite('roles that a claim gives', () => {
  const forum = sharedForum()

  /** A course in which values of the claim `groups` give roles, as an admin chose. */
  async function aCourseOfClaims() {
    const { db } = forum
    const [course, provider] = [await aCourse(db), await aProvider(db)]
    const byAdmin = { actor: await anOwner(db, { isAdmin: true }), key: provider.id }
    for (const [value, role] of Object.entries(VALUES)) {
      const input = { id: `${provider.id}`, value, course: course.slug, role }
      await act(forum, providerRoleAddition, { ...byAdmin, input })
    }
    /** Comes back with these groups. @returns the role in the course then; null: none */
    async function comeWith(groups: unknown): Promise<Role | null> {
      const { id } = await provider.arrive({ groups })
      const [row] = await rowsOf(db, 'course_members', { person_id: id, course_id: course.id })
      return row?.role ?? null
    }
    async function setByHand(role: Role): Promise<void> {
      const { person_id } = await rowOf(db, 'linked_accounts', { provider_id: provider.id })
      await db
        .insertInto('course_members')
        .values({ course_id: course.id, person_id, role })
        .onConflict((conflict) => conflict.columns(['course_id', 'person_id']).doUpdateSet({ role }))
        .execute()
    }
    return { course, provider, byAdmin, comeWith, setByHand }
  }

  test('come with its values, the highest of them, and go with them', async () => {
    const { comeWith } = await aCourseOfClaims()
    assert.equal(await comeWith(['students', 'other']), 'learner')
    assert.equal(await comeWith(['students', 'teachers', 'tutors']), 'instructor')
    assert.equal(await comeWith('tutors'), 'assistant')
    for (const nothing of [[], undefined, 7, { tutors: true }, ['TUTORS']]) {
      assert.equal(await comeWith(nothing), null)
      assert.equal(await comeWith(['tutors']), 'assistant')
    }
  })

  test('leave what was set by hand: it comes back, a higher one stays, and so does a changed one', async () => {
    const { comeWith, setByHand } = await aCourseOfClaims()
    await comeWith([])
    await setByHand('learner')
    assert.equal(await comeWith(['tutors']), 'assistant')
    assert.equal(await comeWith(['teachers']), 'instructor')
    assert.equal(await comeWith([]), 'learner')
    await setByHand('instructor')
    assert.equal(await comeWith(['students']), 'instructor')
    assert.equal(await comeWith([]), 'instructor')
    await setByHand('learner')
    assert.equal(await comeWith(['tutors']), 'assistant')
    // Changed by hand and back: it is the hand's now.
    await setByHand('learner')
    await setByHand('assistant')
    assert.equal(await comeWith([]), 'assistant')
  })

  test('are gone at once for an operation that began before, and waits for it', async () => {
    const { course, provider, comeWith } = await aCourseOfClaims()
    assert.equal(await comeWith(['teachers']), 'instructor')
    const { id } = await provider.arrive({ groups: ['teachers'] })
    const add = () =>
      refusalOf(forum, lectureAdding, { actor: { id }, key: course.slug, input: { lectures: 'Verbs' } })
    assert.equal(await add(), 'done')
    const refused = await overtaken(forum.db, { id }, add, (write) =>
      applyClaims(write, provider.id, id, ['students']),
    )
    assert.equal(refused, 'forbidden')
  })

  test('end with the value that gave them, and with the link', async () => {
    const { db } = forum
    const { provider, byAdmin, comeWith } = await aCourseOfClaims()
    const id = `${provider.id}`
    await refuses(forum, providerRoleAddition, byAdmin, [
      [{ id, value: 'graders', course: 'nowhere', role: 'assistant' }, 'course: providers.role.course'],
      [{ id, value: ' ', course: 'nowhere', role: 'assistant' }, 'value: providers.role.short'],
    ])
    assert.equal(await comeWith(['tutors']), 'assistant')
    const { id: given } = await rowOf(db, 'provider_roles', { provider_id: provider.id, value: 'tutors' })
    const noted: EventName[] = []
    await act(forum, providerRoleRemoval, { ...byAdmin, input: { id, given: `${given}` }, noted })
    assert.deepEqual(noted, ['provider-changed'])
    assert.equal(await comeWith(['tutors']), null)

    assert.equal(await comeWith(['teachers']), 'instructor')
    const { id: personId } = await provider.arrive({ groups: ['teachers'] })
    const owner = await inSession(db, { id: personId })
    const { id: linkId } = await rowOf(db, 'linked_accounts', { person_id: personId })
    const link = { id: linkId, providerId: provider.id, label: '', name: '' }
    await setRows(db, 'people', personId, { password_hash: 'one' })
    await act(forum, accountUnlinking, { ...owner, key: { ...owner.key, link } })
    assert.deepEqual(await rowsOf(db, 'course_members', { person_id: personId }), [])
  })
})
