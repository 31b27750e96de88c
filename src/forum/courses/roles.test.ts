import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database, Role } from '../../database/schema.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { giveRole, removeRole } from './roles.ts'

const PROFESSOR = 'prof@example.org'

function give(db: Database, course: { readonly id: number }, role: Role) {
  return db.transaction().execute((write) => giveRole(write, course.id, PROFESSOR, role))
}

suite('taking a role away', () => {
  test('takes what waits, and who is a member without having confirmed', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const person = await aPerson(db, { email: PROFESSOR, isConfirmed: false })
    await give(db, course, 'instructor')
    await aMember(db, course, 'learner', person)
    const remove = () => db.transaction().execute((write) => removeRole(write, course.id, PROFESSOR))
    assert.deepEqual(await remove(), { personId: person.id, role: 'learner', wasWaiting: true })
    assert.deepEqual(await remove(), { personId: person.id, role: null, wasWaiting: false })
  })

  test('making an instructor a learner needs no confirmation', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const person = await aPerson(db, { email: PROFESSOR, isConfirmed: false })
    await aMember(db, course, 'instructor', person)
    assert.equal(await give(db, course, 'learner'), 'given')
    const members = await db.selectFrom('course_members').select(['person_id', 'role']).execute()
    assert.deepEqual(members, [{ person_id: person.id, role: 'learner' }])
  })
})
