import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { aCourse, aQuestion } from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'

test('tags and desk of a question are of its course, whatever writes them', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db, { lectures: ['One'] })
  const other = await aCourse(db, { lectures: ['Two'] })
  const [lectureId] = course.lectureIds
  const question = await aQuestion(db, { course, lectureId: lectureId ?? assert.fail(), tags: ['spring'] })
  const [foreign] = other.lectureIds
  for (const [change, constraint] of [
    [sql`update question_tags set course_id = ${other.id}`, 'question_tags_question_course_fkey'],
    [
      sql`update question_desk set course_id = ${other.id}, lecture_id = null`,
      'question_desk_question_course_fkey',
    ],
    [sql`update question_desk set lecture_id = ${foreign}`, 'question_desk_lecture_fkey'],
    [
      sql`insert into question_desk (question_id, course_id) values (999, ${course.id})`,
      'question_desk_question_course_fkey',
    ],
  ] as const)
    await assert.rejects(change.execute(db), { code: '23503', constraint })
  await sql`delete from lectures where id = ${lectureId}`.execute(db)
  assert.deepEqual(await placesOf(question.id), [{ tags: 1, desks: 1, lecture_id: null }])
  await sql`delete from questions where id = ${question.id}`.execute(db)
  assert.deepEqual(await placesOf(question.id), [{ tags: 0, desks: 0, lecture_id: null }])

  async function placesOf(id: number) {
    const { rows } = await sql`
      select (select count(*) from question_tags where question_id = ${id}) as tags, count(*) as desks, max(lecture_id) as lecture_id
      from question_desk where question_id = ${id}`.execute(db)
    return rows
  }
})
