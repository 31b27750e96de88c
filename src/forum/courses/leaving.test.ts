import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { textOf } from '../../testing/page.ts'
import { within } from '../../testing/within.ts'
import { LastInstructor, leaveCourse } from './roles.ts'

suite('leaving a course', () => {
  test('is in the settings of a person who became a member by asking', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const course = await aCourse(db)
    const browser = await signedIn(app, await aPerson(db))
    assert.doesNotMatch((await browser.get('/settings')).body, /Your courses/)
    await browser.post('/questions', { course: course.slug, title: 'Am I a member now?', body: 'Yes?' })
    const page = await browser.get('/settings')
    assert.match(page.body, new RegExp(`action="/courses/${course.slug}/leaving"`))

    const left = await browser.post(`/courses/${course.slug}/leaving`)
    assert.equal(left.headers.location, `/courses/${course.slug}`)
    assert.match(textOf((await browser.follow(left)).body), /You left the course/)
    assert.deepEqual(await db.selectFrom('course_members').selectAll().execute(), [])
    const twice = await browser.post(`/courses/${course.slug}/leaving`)
    assert.equal(twice.statusCode, 303, 'a second press is no mistake')
  })

  test('closes a private one to a person who left', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const course = await aCourse(db, { isPublic: false })
    const browser = await signedIn(app, await aMember(db, course))
    const left = await browser.post(`/courses/${course.slug}/leaving`)
    assert.equal(left.headers.location, '/courses')
    assert.equal((await browser.get(`/courses/${course.slug}`)).statusCode, 404)
  })

  test('is not for its last instructor, who is told what to do', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const course = await aCourse(db, { title: 'REST' })
    const instructor = await aMember(db, course, 'instructor')
    await aMember(db, course, 'assistant')
    const browser = await signedIn(app, instructor)
    const refused = await browser.post(`/courses/${course.slug}/leaving`)
    assert.equal(refused.statusCode, 422)
    assert.match(textOf(refused.body), /only instructor of REST.*Make someone else an instructor/)
    await aMember(db, course, 'instructor')
    assert.equal((await browser.post(`/courses/${course.slug}/leaving`)).statusCode, 303)
  })

  test('at the same moment leaves the last of two instructors in it', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const people = [await aMember(db, course, 'instructor'), await aMember(db, course, 'instructor')]
    const outcomes = await Promise.allSettled(people.map(({ id }) => within(db, leaveCourse, course.id, id)))
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    assert.equal(refused.length, 1)
    assert.ok(refused[0]?.reason instanceof LastInstructor)
  })
})
