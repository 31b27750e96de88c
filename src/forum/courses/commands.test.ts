import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../database/schema.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { addCategory, addMember, createCourse, joinCourse, SlugTaken, setLectures } from './commands.ts'

const COURSE = { title: 'RESTful Web Services with Java', language: 'en', timeZone: 'UTC' } as const

test('a course is named after its title, and numbered when another has the name', async (t) => {
  const db = await testDatabase(t)
  const slugs = []
  for (let count = 0; count < 3; count += 1) slugs.push((await create(db, COURSE)).slug)

  const name = 'restful-web-services-with-java'
  assert.deepEqual(slugs, [name, `${name}-2`, `${name}-3`])
})

test('a title of the full length, in any script, gives a slug that can be numbered', async (t) => {
  const db = await testDatabase(t)
  for (const title of ['가나다라 '.repeat(30).trim(), '😀 C++?', '!!!']) {
    const [one, other] = [await create(db, { ...COURSE, title }), await create(db, { ...COURSE, title })]
    assert.notEqual(one.slug, other.slug)
    assert.ok(other.slug.endsWith('-2') && other.slug.length <= 80)
  }
})

test('courses created at the same moment get different slugs; a chosen one is kept, or refused when it is taken', async (t) => {
  const db = await testDatabase(t)
  const courses = await Promise.all(Array.from({ length: 8 }, () => create(db, COURSE)))
  assert.equal(new Set(valuesOf(courses, 'slug')).size, 8)
  const rest = { ...COURSE, slug: 'rest' }
  assert.equal((await create(db, rest)).slug, 'rest')
  await assert.rejects(create(db, rest), SlugTaken)
})

test('a course begins with its default category and more come after it', async (t) => {
  const db = await testDatabase(t)
  const { id } = await create(db, COURSE)
  for (const name of ['C++', 'C#', 'C#', 'Questions and answers!', '☕', '🍵'])
    await within(db, addCategory, id, name)

  const categories = await rowsOf(db, 'categories', { course_id: id })
  assert.deepEqual(
    categories.map(({ slug, name, position }) => [position, slug, name]),
    [
      [0, 'questions-and-answers', 'Questions & answers'],
      [1, 'c', 'C++'],
      [2, 'c-2', 'C#'],
      [3, 'questions-and-answers-2', 'Questions and answers!'],
      [4, 'category', '☕'],
      [5, 'category-2', '🍵'],
    ],
  )
})

test('lectures are renamed by position, and one that somebody asked about stays', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db, { lectures: ['Hello', 'REST', 'Asked about', 'Forgotten'] })
  const [first, second, asked] = course.lectureIds
  assert.ok(asked !== undefined)
  await aQuestion(db, { course, lectureId: asked })

  const lectures = ['Hello', 'HTTP'].map((title, at) => ({ position: at + 1, title }))
  const stayed = await within(db, setLectures, course.id, [...lectures, { position: 5, title: 'Later' }])
  assert.deepEqual(stayed, [{ position: 3, title: 'Asked about' }])
  const kept = await rowsOf(db, 'lectures', { course_id: course.id })
  const titles = kept.map(({ position, title }) => `${position} ${title}`)
  assert.deepEqual(titles, ['1 Hello', '2 HTTP', '3 Asked about', '5 Later'])
  assert.deepEqual(valuesOf(kept.slice(0, 3), 'id'), [first, second, asked])
})

test('a member gets the new role; joining leaves the role there is', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const teacher = await aMember(db, course, 'learner')
  const newcomer = await aPerson(db)
  await within(db, addMember, course.id, teacher.id, 'instructor')
  for (const { id } of [teacher, newcomer]) await within(db, joinCourse, course.id, id)

  const roles = await rowsOf(db, 'course_members', { course_id: course.id })
  assert.deepEqual(
    roles.map(({ person_id: id, role }) => `${id} ${role}`).toSorted(),
    [`${teacher.id} instructor`, `${newcomer.id} learner`].toSorted(),
  )
})

const create = (db: Database, course: Parameters<typeof createCourse>[1]) => within(db, createCourse, course)
