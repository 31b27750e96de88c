import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'

/** What a feed tells of a post. Feeds are for everybody: only public courses are in them. */
export interface FeedRow {
  readonly id: number
  readonly question_id: number
  readonly title: string
  readonly display_name: string
  readonly body_html: string
  readonly written_at: Date
  readonly edited_at: Date | null
}

const SIZE = 30

/** The latest questions, of one course or with one tag or all. Uses the index of the list it is the head of. */
export function latestQuestions(
  db: Database,
  scope: { courseId?: number; tagId?: number },
): Promise<FeedRow[]> {
  return db
    .selectFrom('questions as q')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .innerJoin('people as author', 'author.id', 'q.author_id')
    .select([
      'q.id',
      'q.id as question_id',
      'q.title',
      'author.display_name',
      'q.body_html',
      'q.written_at',
      'q.edited_at',
    ])
    .where('q.deleted_at', 'is', null)
    .where('course.is_public', '=', true)
    .$if(scope.courseId !== undefined, (query) => query.where('q.course_id', '=', scope.courseId ?? 0))
    .$if(scope.tagId !== undefined, (query) =>
      query.where(sql<boolean>`exists (select from question_tags
        where question_tags.question_id = q.id and question_tags.tag_id = ${scope.tagId ?? 0})`),
    )
    .orderBy('q.written_at', 'desc')
    .orderBy('q.id', 'desc')
    .limit(SIZE)
    .execute()
}

/** The latest answers to a question. */
export function latestAnswers(db: Database, questionId: number): Promise<FeedRow[]> {
  return db
    .selectFrom('answers as a')
    .innerJoin('questions as q', 'q.id', 'a.question_id')
    .innerJoin('people as author', 'author.id', 'a.author_id')
    .select([
      'a.id',
      'q.id as question_id',
      'q.title',
      'author.display_name',
      'a.body_html',
      'a.written_at',
      'a.edited_at',
    ])
    .where('a.question_id', '=', questionId)
    .where('a.deleted_at', 'is', null)
    .orderBy('a.written_at', 'desc')
    .orderBy('a.id', 'desc')
    .limit(SIZE)
    .execute()
}
