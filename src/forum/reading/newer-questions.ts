import { sql } from 'kysely'
import type { Cursor } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../kernel/rights/visibility.ts'
import { placesQuery, type QuestionFilter, scopeOf, statesOf } from './list-filter.ts'

/** More new questions than this are not counted one by one. */
const MAX_COUNTED = 100

export type ListedFacts = NonNullable<Awaited<ReturnType<typeof findListedFacts>>>

/** @returns undefined for a question that is not listed: deleted, private, or never there */
export function findListedFacts(db: Database, id: number) {
  return db
    .selectFrom('questions as q')
    .select(['q.id', 'q.course_id', 'q.lecture_id', 'q.author_id', 'q.is_anonymous', 'q.state'])
    .select('q.written_at')
    .select(sql<number[]>`array(select tag_id from question_tags where question_id = q.id)`.as('tag_ids'))
    .where('q.id', '=', id)
    .where('q.is_listed', '=', true)
    .executeTakeFirst()
}

/** Ids of the questions of a list that are newer than a place in it, 100 at most. The list runs from new to old. */
export async function newerQuestions(
  db: Database,
  filter: QuestionFilter,
  readable: ReadableCourses,
  since: Cursor,
): Promise<number[]> {
  const scope = await scopeOf(db, filter, readable)
  const { rows } = await placesQuery(scope, { after: null, before: since }, MAX_COUNTED).execute(db)
  return rows.map(({ id }) => id)
}

/** Whether a question is in a list, newer than a place in it. @param courses those the list may show */
export function isNewer(
  question: ListedFacts,
  filter: QuestionFilter,
  courses: readonly number[],
  since: Cursor,
): boolean {
  const writtenAt = question.written_at.getTime()
  return (
    courses.includes(question.course_id) &&
    (filter.courseId === null || filter.courseId === question.course_id) &&
    (filter.lectureId === null || filter.lectureId === question.lecture_id) &&
    (filter.authorId === null || (filter.authorId === question.author_id && !question.is_anonymous)) &&
    (filter.tagId === null || question.tag_ids.includes(filter.tagId)) &&
    statesOf(filter).includes(question.state) &&
    (writtenAt > since.value || (writtenAt === since.value && question.id > since.id))
  )
}
