import type { Database } from '../../../database/schema.ts'
import { indexNewQuestions } from '../../../forum/search/index-question.ts'
import { refreshStatistics } from '../../../forum/search/statistics.ts'
import { escapeText } from '../../../text/escape.ts'
import { benchCourse } from '../bench-course.ts'
import type { Text } from './data-set.ts'

const BATCH = 500

/** Asks these in a course of their own. @returns the index in `texts` of each question's id */
export async function loadSet(
  db: Database,
  texts: readonly Text[],
): Promise<{ courseId: number; places: ReadonlyMap<number, number> }> {
  const places = new Map<number, number>()
  const courseId = await db.transaction().execute(async (write) => {
    const course = await benchCourse(write, { slug: 'finding', title: 'Finding', language: 'en' })
    for (let from = 0; from < texts.length; from += BATCH) {
      const rows = await write
        .insertInto('questions')
        .values(
          texts.slice(from, from + BATCH).map(({ title, body }) => ({
            course_id: course.courseId,
            author_id: course.authorId,
            category_id: course.categoryId,
            title: title.slice(0, 150).padEnd(3, '.'),
            body: body.slice(0, 20_000) || '.',
            body_html: `<p>${escapeText(body.slice(0, 20_000))}</p>`,
            renderer_version: 1,
          })),
        )
        .returning('id')
        .execute()
      for (const [index, { id }] of rows.entries()) places.set(id, from + index)
      await indexNewQuestions(
        write,
        rows.map(({ id }) => id),
      )
    }
    return course.courseId
  })
  await refreshStatistics(db)
  return { courseId, places }
}
