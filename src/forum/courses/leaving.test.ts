import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { joinCourse } from './commands.ts'
import { LastInstructor, leaveCourse } from './roles.ts'

suite('leaving a course', () => {
  const forum = sharedForum()

  test('is in the settings of a member; a second press is no mistake', async () => {
    const { app, db } = forum
    const [course, person] = [await aCourse(db), await aPerson(db)]
    const browser = await signedIn(app, person)
    assert.doesNotMatch((await browser.get('/settings')).body, /Your courses/)
    await within(db, joinCourse, course.id, person.id)
    const path = `/courses/${course.slug}/leaving`
    assert.match((await browser.get('/settings')).body, new RegExp(`action="${path}"`))
    const left = await browser.post(path)
    assert.equal(left.headers.location, `/courses/${course.slug}`)
    assert.match(textOf((await browser.follow(left)).body), /You left the course/)
    assert.deepEqual(await rowsOf(db, 'course_members', { person_id: person.id }), [])
    assert.equal((await browser.post(path)).statusCode, 303)
  })

  test('closes a private one to a person who left', async () => {
    const course = await aCourse(forum.db, { isPublic: false })
    const browser = await signedIn(forum.app, await aMember(forum.db, course))
    const left = await browser.post(`/courses/${course.slug}/leaving`)
    assert.equal(left.headers.location, '/courses')
    assert.equal((await browser.get(`/courses/${course.slug}`)).statusCode, 404)
  })

  test('is not for its last instructor, who is told what to do', async () => {
    const { app, db } = forum
    const course = await aCourse(db, { title: 'REST' })
    const instructor = await aMember(db, course, 'instructor')
    await aMember(db, course, 'assistant')
    const refused = await (await signedIn(app, instructor)).post(`/courses/${course.slug}/leaving`)
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /only instructor of REST.*Make someone else an instructor/)
    await aMember(db, course, 'instructor')
    assert.equal(await within(db, leaveCourse, course.id, instructor.id), 'instructor')
  })

  test('at the same moment leaves the last of two instructors in it', async () => {
    const { db } = forum
    const course = await aCourse(db)
    const people = [await aMember(db, course, 'instructor'), await aMember(db, course, 'instructor')]
    const outcomes = await Promise.allSettled(people.map(({ id }) => within(db, leaveCourse, course.id, id)))
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    assert.deepEqual([refused.length, refused[0] instanceof LastInstructor], [1, true])
  })
})
