import { sql } from 'kysely'
import type { Database, Write } from '../../../database/schema.ts'
import { indexNewQuestions } from '../../../forum/search/index-question.ts'
import { refreshStatistics } from '../../../forum/search/statistics.ts'
import { escapeText } from '../../../text/escape.ts'
import { type BenchCourse, benchCourse } from '../bench-course.ts'
import type { Text } from './collection.ts'

const BATCH = 500
const MAX_BODY = 20_000

/** Asks these in a course of their own. @returns the index in `texts` of each question's id */
export async function load(db: Database, texts: readonly Text[]) {
  const places = new Map<number, number>()
  const courseId = await db.transaction().execute(async (write) => {
    const course = await benchCourse(write, { slug: 'finding', title: 'Finding', language: 'en' })
    for (let from = 0; from < texts.length; from += BATCH) {
      const ids = await ask(write, course, texts.slice(from, from + BATCH))
      for (const [index, id] of ids.entries()) places.set(id, from + index)
      await indexNewQuestions(write, ids)
    }
    return course.courseId
  })
  await refreshStatistics(db)
  return { courseId, places }
}

async function ask(write: Write, { courseId, authorId, categoryId }: BenchCourse, texts: readonly Text[]) {
  const rows = await write
    .insertInto('questions')
    .values(
      texts.map(({ title, body }) => ({
        course_id: courseId,
        author_id: authorId,
        category_id: categoryId,
        title: title.slice(0, 150).padEnd(3, '.'),
        ...bodyOf(body),
      })),
    )
    .returning('id')
    .execute()
  const answers = texts.flatMap(({ answer = null }, index) =>
    answer === null ? [] : [{ question_id: rows[index]?.id ?? 0, author_id: authorId, ...bodyOf(answer) }],
  )
  if (answers.length > 0) {
    await write.insertInto('answers').values(answers).execute()
    await sql`
      update questions set accepted_answer_id = answers.id, status = 'resolved' from answers
      where answers.question_id = questions.id and questions.id = any(${rows.map(({ id }) => id)}::bigint[])`.execute(
      write,
    )
  }
  return rows.map(({ id }) => id)
}

function bodyOf(text: string) {
  const body = text.slice(0, MAX_BODY) || '.'
  return { body, body_html: `<p>${escapeText(body)}</p>`, renderer_version: 1 }
}
