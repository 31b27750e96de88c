import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testApp } from '../testing/app.ts'
import { signedIn, visitor } from '../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'
import { relIn } from '../testing/page.ts'
import { COURSES_PER_PAGE, courseAside, findCourse } from './queries.ts'

test('a visitor sees the public courses with their counts, and nothing of private ones', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db, { title: 'Open to all', field: 'Backend', description: 'How <it> works' })
  await aQuestion(db, { course })
  await aQuestion(db, { course, answers: 1 })
  await aCourse(db, { title: 'Behind doors', isPublic: false })

  const { body, statusCode } = await visitor(await testApp(t, db)).get('/courses')

  assert.equal(statusCode, 200)
  assert.match(body, /Open to all/)
  assert.match(body, /How &lt;it&gt; works/)
  assert.match(body, /2 questions/)
  assert.match(body, /1 waits for an answer/)
  assert.doesNotMatch(body, /Behind doors/)
})

test('a member sees the private course and their role; another person does not', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db, { title: 'Behind doors', isPublic: false })
  const app = await testApp(t, db)
  const assistant = await signedIn(app, await aMember(db, course, 'assistant'))
  const stranger = await signedIn(app, await aPerson(db))
  const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))

  assert.match((await assistant.get('/courses')).body, /Behind doors[\s\S]*Members only[\s\S]*Assistant/)
  assert.match((await stranger.get('/courses')).body, /No course is open to you yet/)
  assert.match((await admin.get('/courses')).body, /Behind doors/)
})

test('more courses than a page holds are all reached, forth and back', async (t) => {
  const db = await testDatabase(t)
  const rows = Array.from({ length: COURSES_PER_PAGE + 5 }, (_, number) => ({
    slug: `c-${number}`,
    title: `C ${number}`,
  }))
  await db.insertInto('courses').values(rows).execute()
  const reader = visitor(await testApp(t, db))
  const first = await reader.get('/courses')
  const second = await reader.get(relIn(first.body, 'next') ?? '')
  const again = await reader.get(relIn(second.body, 'prev') ?? '')

  const found = [first, second].flatMap(({ body }) =>
    [...body.matchAll(/href="\/courses\/(c-\d+)"/g)].map(([, slug]) => slug),
  )
  assert.deepEqual([...found].sort(), rows.map((row) => row.slug).sort())
  assert.equal(listOf(again.body), listOf(first.body))
})

test('what stands beside a course counts its questions, and says what is known of its instructor', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db, { lectures: ['One', 'Two', 'Three'] })
  const mara = await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Mara' }))
  const empty = await courseAside(db, course.id)
  assert.deepEqual(
    [empty.resolvedShare, empty.firstAnswer, empty.usually, empty.firstWithin],
    [null, null, null, null],
  )
  assert.deepEqual(empty.instructors, { count: 1, first: 'Mara', second: '' })

  const lectureId = course.lectureIds[1] ?? 0
  for (const hours of [1, 2, 3, 30]) {
    const writtenAt = new Date('2026-01-01T00:00:00Z')
    const question = await aQuestion(db, { course, lectureId, tags: ['java'], writtenAt })
    await anAnswer(db, { question, author: { id: question.authorId }, writtenAt: hoursAfter(writtenAt, 0.1) })
    await anAnswer(db, {
      question,
      author: mara,
      isAccepted: hours === 1,
      writtenAt: hoursAfter(writtenAt, hours),
    })
  }
  await aQuestion(db, { course, tags: ['java', 'rest'] })

  const aside = await courseAside(db, course.id)
  assert.deepEqual([aside.questionsCount, aside.waitingCount, aside.resolvedShare], [5, 1, 0.2])
  assert.deepEqual(
    aside.tags.map((tag) => tag.name),
    ['java', 'rest'],
  )
  assert.deepEqual(aside.lectures, [{ position: 2, title: 'Two', path: `/courses/${course.slug}?lecture=2` }])
  // Of 1, 2, 3 and 30 hours the median is 2.5; of those and the one that still waits it is 3.
  assert.deepEqual(aside.firstAnswer, { unit: 'hours', value: 3 })
  assert.deepEqual(aside.usually, { count: 1, first: 'Mara', second: '', unit: 'hours', value: 3 })
})

test('nothing is claimed of an instructor who answers less than half of the questions', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const mara = await aMember(db, course, 'instructor')
  for (const number of [1, 2, 3, 4, 5, 6]) {
    const question = await aQuestion(db, { course, answers: number > 2 ? 1 : 0 })
    if (number > 4) await anAnswer(db, { question, author: mara })
  }

  const aside = await courseAside(db, course.id)
  assert.equal(aside.usually, null)
  assert.deepEqual(aside.firstWithin, { unit: 'minutes', value: 1 })
})

test('the head of a course tells how soon its instructor answers, in both languages', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db, { title: 'REST', field: 'Backend', lectures: ['One'] })
  const mara = await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Mara Ilić' }))
  for (let number = 0; number < 5; number += 1) {
    const writtenAt = new Date('2026-01-01T00:00:00Z')
    const question = await aQuestion(db, { course, writtenAt })
    await anAnswer(db, { question, author: mara, writtenAt: hoursAfter(writtenAt, 8.5) })
  }
  const reader = visitor(await testApp(t, db))

  const english = (await reader.get(`/courses/${course.slug}`)).body
  assert.match(
    english,
    /Ask about any lecture\.\s+Mara Ilić, your instructor, usually answers within 9 hours\./,
  )
  assert.match(english, /<h1 lang="en">REST<\/h1>/)
  const korean = (await reader.get(`/courses/${course.slug}`, { 'accept-language': 'ko' })).body
  assert.match(korean, /Mara Ilić 강사님이 보통 9시간 안에 답변합니다\./)
})

test('a course is found by its slug alone', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db, { title: '한국어 강의', language: 'ko' })

  assert.equal((await findCourse(db, course.slug))?.title, '한국어 강의')
  for (const slug of ['', 'none', 'a\0b', '\ud800']) assert.equal(await findCourse(db, slug), null)
})

function hoursAfter(at: Date, hours: number): Date {
  return new Date(at.getTime() + hours * 3_600_000)
}

function listOf(html: string): string {
  return html.slice(html.indexOf('<ul class="course-index">'), html.indexOf('</ul>'))
}
