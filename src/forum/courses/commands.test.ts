import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../database/schema.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { addCategory, addMember, createCourse, joinCourse, SlugTaken, setLectures } from './commands.ts'

const COURSE = { title: 'RESTful Web Services with Java', language: 'en', timeZone: 'UTC' } as const

test('a course is named after its title, and numbered when another has the name', async (t) => {
  const db = await testDatabase(t)
  const slugs = []
  for (let count = 0; count < 3; count += 1) slugs.push((await create(db, COURSE)).slug)

  assert.deepEqual(slugs, [
    'restful-web-services-with-java',
    'restful-web-services-with-java-2',
    'restful-web-services-with-java-3',
  ])
})

test('a title of the full length, in any script, gives a slug that can be numbered', async (t) => {
  const db = await testDatabase(t)
  for (const title of ['가나다라 '.repeat(30).trim(), '😀 C++?', '!!!']) {
    const [one, other] = [await create(db, { ...COURSE, title }), await create(db, { ...COURSE, title })]
    assert.notEqual(one.slug, other.slug)
    assert.ok(other.slug.endsWith('-2') && other.slug.length <= 80)
  }
})

test('courses created at the same moment get different slugs', async (t) => {
  const db = await testDatabase(t)
  const courses = await Promise.all(Array.from({ length: 8 }, () => create(db, COURSE)))

  assert.equal(new Set(courses.map((course) => course.slug)).size, 8)
})

test('a slug that was chosen is kept, or refused when it is taken', async (t) => {
  const db = await testDatabase(t)
  assert.equal((await create(db, { ...COURSE, slug: 'rest' })).slug, 'rest')

  await assert.rejects(create(db, { ...COURSE, slug: 'rest' }), SlugTaken)
})

test('a course begins with its default category and more come after it', async (t) => {
  const db = await testDatabase(t)
  const { id } = await create(db, COURSE)
  for (const name of ['C++', 'C#', 'C#', 'Questions and answers!', '☕', '🍵'])
    await db.transaction().execute((write) => addCategory(write, id, name))

  const categories = await db
    .selectFrom('categories')
    .select(['slug', 'name', 'position'])
    .orderBy('position')
    .execute()
  assert.deepEqual(categories, [
    { slug: 'questions-and-answers', name: 'Questions & answers', position: 0 },
    { slug: 'c', name: 'C++', position: 1 },
    { slug: 'c-2', name: 'C#', position: 2 },
    { slug: 'questions-and-answers-2', name: 'Questions and answers!', position: 3 },
    { slug: 'category', name: '☕', position: 4 },
    { slug: 'category-2', name: '🍵', position: 5 },
  ])
})

test('lectures are renamed by position, and one that somebody asked about stays', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db, { lectures: ['Hello', 'REST', 'Asked about', 'Forgotten'] })
  const [first, second, asked] = course.lectureIds
  assert.ok(asked !== undefined)
  await aQuestion(db, { course, lectureId: asked })

  const lectures = [
    { position: 1, title: 'Hello' },
    { position: 2, title: 'HTTP' },
    { position: 5, title: 'Later' },
  ]
  const stayed = await db.transaction().execute((write) => setLectures(write, course.id, lectures))

  assert.deepEqual(stayed, [{ position: 3, title: 'Asked about' }])
  const kept = await db
    .selectFrom('lectures')
    .select(['id', 'position', 'title'])
    .orderBy('position')
    .execute()
  assert.deepEqual(kept.slice(0, 3), [
    { id: first, position: 1, title: 'Hello' },
    { id: second, position: 2, title: 'HTTP' },
    { id: asked, position: 3, title: 'Asked about' },
  ])
  assert.deepEqual(
    kept.slice(3).map((lecture) => lecture.title),
    ['Later'],
  )
})

test('a member gets the new role; joining leaves the role there is', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const teacher = await aMember(db, course, 'learner')
  const newcomer = await aPerson(db)
  await db.transaction().execute(async (write) => {
    await addMember(write, course.id, teacher.id, 'instructor')
    await joinCourse(write, course.id, teacher.id)
    await joinCourse(write, course.id, newcomer.id)
  })

  const roles = await db
    .selectFrom('course_members')
    .select(['person_id', 'role'])
    .orderBy('person_id')
    .execute()
  assert.deepEqual(roles, [
    { person_id: teacher.id, role: 'instructor' },
    { person_id: newcomer.id, role: 'learner' },
  ])
})

function create(db: Database, course: Parameters<typeof createCourse>[1]) {
  return db.transaction().execute((write) => createCourse(write, course))
}
