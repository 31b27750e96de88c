import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { notFound } from '../../operations/problem.ts'
import { isHideable, type NameState } from './naming.ts'

export interface QuestionSource extends NameState {
  readonly title: string
  readonly body: string
  readonly tags: readonly string[]
  /** The category's slug. */
  readonly category: string
  /** The lecture's number in the course. */
  readonly lecture: number | null
  readonly version: number
  /** The account that the present text is from: the last editor, or the author. */
  readonly writtenBy: number | null
}

export async function findQuestionSource(db: Database, id: number): Promise<QuestionSource> {
  const source = await db
    .selectFrom('questions as q')
    .innerJoin('categories as category', 'category.id', 'q.category_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .leftJoin('lectures as lecture', 'lecture.id', 'q.lecture_id')
    .select(['q.is_anonymous as isAnonymous', isHideable('q').as('isHideable')])
    .select(['q.title', 'q.body', 'q.version', 'category.slug as category', 'lecture.position as lecture'])
    .select(({ fn }) => fn.coalesce('q.edited_by', 'q.author_id').as('writtenBy'))
    .select(
      sql<string[]>`array(select tags.name from question_tags join tags on tags.id = question_tags.tag_id
        where question_tags.question_id = q.id order by question_tags.position)`.as('tags'),
    )
    .where('q.id', '=', id)
    .executeTakeFirst()
  if (source === undefined) throw notFound()
  return source
}

export interface TextSource extends NameState {
  readonly body: string
  readonly version: number
  readonly writtenBy: number | null
}

/** An answer's or a reply's text as it was typed, and its version. */
export async function findTextSource(
  db: Database,
  table: 'answers' | 'replies',
  id: number,
): Promise<TextSource> {
  const source = await db
    // The columns of both tables are alike, which their union does not tell.
    .selectFrom(`${table as 'answers'} as post`)
    .innerJoin('questions as q', 'q.id', 'post.question_id')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .select(['post.body', 'post.version', 'post.is_anonymous as isAnonymous'])
    .select(({ fn }) => fn.coalesce('post.edited_by', 'post.author_id').as('writtenBy'))
    .select(isHideable('post').as('isHideable'))
    .where('post.id', '=', id)
    .executeTakeFirst()
  if (source === undefined) throw notFound()
  return source
}
