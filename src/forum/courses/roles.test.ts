import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { within } from '../../testing/within.ts'
import { giveRole, removeRole } from './roles.ts'

const PROFESSOR = 'prof@example.org'

suite('taking a role away', () => {
  test('takes what waits, and who is a member without having confirmed', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const person = await aPerson(db, { email: PROFESSOR, isConfirmed: false })
    await within(db, giveRole, course.id, PROFESSOR, 'instructor')
    await aMember(db, course, 'learner', person)
    const remove = () => within(db, removeRole, course.id, PROFESSOR)
    assert.deepEqual(await remove(), { personId: person.id, role: 'learner', wasWaiting: true })
    assert.deepEqual(await remove(), { personId: person.id, role: null, wasWaiting: false })
  })

  test('making an instructor a learner needs no confirmation', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const person = await aPerson(db, { email: PROFESSOR, isConfirmed: false })
    await aMember(db, course, 'instructor', person)
    assert.equal(await within(db, giveRole, course.id, PROFESSOR, 'learner'), 'given')
    const members = await db.selectFrom('course_members').select(['person_id', 'role']).execute()
    assert.deepEqual(members, [{ person_id: person.id, role: 'learner' }])
  })
})
