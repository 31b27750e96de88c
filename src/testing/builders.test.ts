import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from './builders.ts'
import { testDatabase } from './database.ts'

test('builders make what they need and keep the counters right', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db, { lectures: ['Hello', 'REST'], language: 'ko' })
  const asker = await aPerson(db, { displayName: 'Mina' })
  const lectureId = course.lectureIds[1] ?? 0
  const question = await aQuestion(db, {
    course,
    author: asker,
    lectureId,
    tags: ['java'],
    answers: 1,
    votes: 2,
  })
  const answer = await anAnswer(db, { question, isAccepted: true, votes: 3 })
  await aReply(db, { answer, author: asker })
  await aMember(db, course, 'instructor')

  const kept = await db
    .selectFrom('questions')
    .innerJoin('courses', 'courses.id', 'questions.course_id')
    .innerJoin('lectures', 'lectures.id', 'questions.lecture_id')
    .innerJoin('people', 'people.id', 'questions.author_id')
    .select(['questions.answers_count', 'questions.votes_count', 'questions.status'])
    .select(['courses.questions_count as in_course', 'courses.resolved_count', 'courses.unanswered_count'])
    .select(['lectures.questions_count as in_lecture', 'people.questions_count as of_person'])
    .executeTakeFirstOrThrow()
  assert.deepEqual(kept, {
    answers_count: 2,
    votes_count: 2,
    status: 'resolved',
    in_course: 1,
    resolved_count: 1,
    unanswered_count: 0,
    in_lecture: 1,
    of_person: 1,
  })
})

test('times can be given', async (t) => {
  const db = await testDatabase(t)
  const writtenAt = new Date('2026-11-21T14:05:00Z')
  await aReply(db, {
    answer: await anAnswer(db, { question: await aQuestion(db, { writtenAt }), writtenAt }),
    writtenAt,
  })

  for (const table of ['questions', 'answers', 'replies'] as const) {
    const row = await db.selectFrom(table).select('written_at').executeTakeFirstOrThrow()
    assert.deepEqual(row.written_at, writtenAt)
  }
})
