import type { Database } from '../../../database/schema.ts'
import { addMember, createCourse } from '../../../forum/courses/commands.ts'
import { indexQuestions } from '../../../forum/search/index-question.ts'
import { refreshStatistics } from '../../../forum/search/statistics.ts'
import { escapeText } from '../../../text/escape.ts'
import type { Text } from './data-set.ts'

const BATCH = 500

/** Asks these in a course of their own. @returns the index in `texts` of each question's id */
export async function loadSet(
  db: Database,
  texts: readonly Text[],
): Promise<{ courseId: number; places: ReadonlyMap<number, number> }> {
  const places = new Map<number, number>()
  const courseId = await db.transaction().execute(async (write) => {
    const course = await createCourse(write, {
      slug: 'finding',
      title: 'Finding',
      language: 'en',
      timeZone: 'UTC',
    })
    const author = await write
      .insertInto('people')
      .values({ display_name: 'Bench' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await addMember(write, course.id, author.id, 'learner')
    const category = await write
      .selectFrom('categories')
      .select('id')
      .where('course_id', '=', course.id)
      .executeTakeFirstOrThrow()
    for (let from = 0; from < texts.length; from += BATCH) {
      const rows = await write
        .insertInto('questions')
        .values(
          texts.slice(from, from + BATCH).map(({ title, body }) => ({
            course_id: course.id,
            author_id: author.id,
            category_id: category.id,
            title: title.slice(0, 150).padEnd(3, '.'),
            body: body.slice(0, 20_000) || '.',
            body_html: `<p>${escapeText(body.slice(0, 20_000))}</p>`,
            renderer_version: 1,
          })),
        )
        .returning('id')
        .execute()
      for (const [index, { id }] of rows.entries()) places.set(id, from + index)
      await indexQuestions(
        write,
        rows.map(({ id }) => id),
      )
    }
    return course.id
  })
  await refreshStatistics(db)
  return { courseId, places }
}
