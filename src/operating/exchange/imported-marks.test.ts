import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileStore } from '../../forum/pictures/store.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { elementIn, textOf } from '../../testing/page.ts'
import { addRow, columnsOf, rowOf, rowsOf, valuesOf } from '../../testing/rows.ts'
import { exportCourse } from './course-export.ts'
import { importExchange } from './course-import.ts'
import { aFolder, BASE_URL, readExport } from './course-testing.ts'
import { aSmallExport, type SmallExport } from './small-export-testing.ts'

const EXPORT: SmallExport = {
  people: [{}, { id: 'kim', name: 'Kim', role: 'instructor' }, { id: 'shy', name: 'Shy', role: 'assistant' }],
  questions: [{ id: '1', addresses: ['41-90'] }],
  answers: [
    { id: '2', author: { person: 'kim' } },
    { id: '3', author: { person: 'shy', anonymous: 'classmates' } },
  ],
  replies: [{ id: '4', answer: '2', author: { person: 'kim' } }],
}

test('who was staff where a post comes from has a badge beside it and no role', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const path = await aSmallExport(t, EXPORT)
  await importExchange(db, fileStore(path), { path, course: { slug: 'moved' } })
  const course = await rowOf(db, 'courses', { slug: 'moved' })
  const { id } = await rowOf(db, 'questions', {})
  const answers = await rowsOf(db, 'answers', {})
  const byKim = answers.find(({ was_staff }) => was_staff)?.id
  const byShy = answers.find(({ was_staff }) => !was_staff)?.id
  const { id: replyId } = await rowOf(db, 'replies', {})

  const classmate = await signedIn(app, await aMember(db, course))
  for (const reader of [visitor(app), classmate]) {
    const { body } = await reader.follow(await reader.get(`/questions/${id}`))
    assert.match(textOf(elementIn(body, `answer-${byKim}`)), /Answer by Kim, staff at the time/)
    assert.match(textOf(elementIn(body, `reply-${replyId}`)), /Kim Staff at the time/)
    assert.doesNotMatch(elementIn(body, `answer-${byShy}`), /staff at the time|Shy/i)
    assert.match(elementIn(body, 'question'), /title="2020\.03\.01 10:00 UTC · Imported from Ed"/)
    assert.match(textOf(elementIn(body, `reply-${replyId}`)), /Imported from Ed/)
  }
  const row = (await classmate.get('/courses/moved')).body
  assert.doesNotMatch(row, /Answered by staff|Staff at the time/)
  assert.deepEqual(await rowsOf(db, 'course_members', { role: 'instructor' }), [])
  const desk = await rowOf(db, 'question_desk', { question_id: id })
  assert.equal(desk.first_staff_at, null)
})

test('roles and addresses of an imported course are in its next export', async (t) => {
  const db = await testDatabase(t)
  const path = await aSmallExport(t, EXPORT)
  const store = fileStore(path)
  await importExchange(db, store, { path, course: { slug: 'moved' } })
  const again = join(await aFolder(t), 'again')
  await exportCourse(db, store, { slug: 'moved', path: again, baseUrl: BASE_URL, isPseudonymous: false })
  const { lines } = await readExport(again)
  assert.deepEqual(columnsOf(lines.people, 'name', 'role'), [
    ['Mara', null],
    ['Kim', 'instructor'],
    ['Shy', 'assistant'],
  ])
  assert.deepEqual(valuesOf(lines.questions, 'addresses'), [['41-90']])
})

test('a question that its import calls a duplicate says so, without naming who said it', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const path = await aSmallExport(t, { questions: [{ id: '1' }, { id: '2', duplicate: { of: '1' } }] })
  await importExchange(db, fileStore(path), { path, course: { slug: 'moved' } })
  const [original, duplicate] = await rowsOf(db, 'questions', {})
  assert.equal(duplicate?.duplicate_of, original?.id)
  const member = await signedIn(app, await aMember(db, await rowOf(db, 'courses', {})))
  const { body } = await member.follow(await member.get(`/questions/${duplicate?.id}`))
  assert.match(textOf(body), /Answered elsewhere\. This is a duplicate of/)
})

test('what an import brought is neither in feeds nor in figures', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const written_at = new Date(Date.now() - 3_600_000).toISOString()
  const path = await aSmallExport(t, {
    questions: [{ id: '1', title: 'Asked elsewhere?', written_at }],
    announcements: [{ id: '1', title: 'Told elsewhere', published_at: written_at }],
  })
  const course = await aCourse(db)
  await importExchange(db, fileStore(path), { path, course })
  await aQuestion(db, { course, title: 'Asked here?' })
  for (const feed of ['/feed.atom', `/courses/${course.slug}/feed.atom`]) {
    const { body } = await visitor(app).get(feed)
    assert.match(body, /Asked here/)
    assert.doesNotMatch(body, /elsewhere/)
  }
  const staff = await signedIn(app, await aMember(db, course, 'instructor'))
  assert.match(textOf((await staff.get(`/courses/${course.slug}/figures`)).body), /1 question was asked/)
})

test('what was active elsewhere is new to no one, until something happens in it here', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const course = await aCourse(db)
  const member = await aMember(db, course)
  await addRow(db, 'course_reads', {
    course_id: course.id,
    person_id: member.id,
    read_up_to: new Date('2019-01-01'),
  })
  const path = await aSmallExport(t, EXPORT)
  await importExchange(db, fileStore(path), { path, course: { slug: course.slug } })
  const { id, title, author_id: authorId } = await rowOf(db, 'questions', {})
  const reader = await signedIn(app, member)
  const isNew = async () => {
    const [list, unread] = [
      await reader.get(`/courses/${course.slug}`),
      await reader.get('/questions?unread=1'),
    ]
    return [/<li class="question-row unread/.test(list.body), unread.body.includes(title)]
  }
  assert.deepEqual(await isNew(), [false, false])
  await anAnswer(db, { question: { id, courseId: course.id, title, authorId } })
  await app.changes?.caughtUp()
  assert.deepEqual(await isNew(), [true, true])
})
