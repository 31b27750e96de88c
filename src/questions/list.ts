import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { visibleTo } from '../courses/visibility.ts'
import { beyondCursor, type Cursor, FIRST_PAGE, type PageRequest, pageOf } from '../database/keyset.ts'
import type { Database, Status } from '../database/schema.ts'
import type { Actor } from '../rights.ts'

export const SORTS = ['newest', 'active', 'votes', 'views'] as const
export type Sort = (typeof SORTS)[number]
export const STATUS_FILTERS = ['unresolved', 'resolved', 'unanswered'] as const
export type StatusFilter = (typeof STATUS_FILTERS)[number]

/** Which questions, in which order. `null` means all. */
export interface QuestionFilter {
  readonly courseId: number | null
  readonly status: StatusFilter | null
  readonly tagId: number | null
  readonly lectureId: number | null
  readonly authorId: number | null
  readonly sort: Sort
}

/** What a sort goes by: the column, and how its cursors are written. Each has an index (column, id). */
export const SORT_COLUMNS = {
  newest: { column: 'q.written_at', kind: 'time' },
  active: { column: 'q.active_at', kind: 'time' },
  votes: { column: 'q.votes_count', kind: 'count' },
  views: { column: 'q.views_count', kind: 'count' },
} as const

export const PAGE_SIZE = 20

export type ListedQuestion = Awaited<ReturnType<typeof selectQuestions>>[number]

/** One page of the questions a person may see. Uses the index of the sort, of the lecture or of the author. */
export async function listQuestions(
  db: Database,
  viewer: Actor | null,
  filter: QuestionFilter,
  request: PageRequest,
) {
  const rows = await selectQuestions(db, viewer, filter, request)
  // Nothing beyond the cursor, as what was there is deleted or moved: an empty page would look like an empty forum.
  if (rows.length === 0 && (request.after ?? request.before) !== null) {
    return pageOf(await selectQuestions(db, viewer, filter, FIRST_PAGE), PAGE_SIZE, FIRST_PAGE)
  }
  return pageOf(rows, PAGE_SIZE, request)
}

/** The place of a question in a list sorted so. */
export function cursorOf(question: ListedQuestion, sort: Sort): Cursor {
  const value = {
    newest: question.written_at.getTime(),
    active: question.active_at.getTime(),
    votes: question.votes_count,
    views: question.views_count,
  }[sort]
  return { value, id: question.id }
}

export function selectQuestions(
  db: Database,
  viewer: Actor | null,
  filter: QuestionFilter,
  request: PageRequest,
) {
  const { column, kind } = SORT_COLUMNS[filter.sort]
  const isBackwards = request.before !== null && request.after === null
  const direction = isBackwards ? 'asc' : 'desc'
  const cursor = request.after ?? request.before
  return db
    .selectFrom('questions as q')
    .innerJoin('courses as course', 'course.id', 'q.course_id')
    .innerJoin('people as author', 'author.id', 'q.author_id')
    .leftJoin('lectures as lecture', 'lecture.id', 'q.lecture_id')
    .select([
      'q.id',
      'q.title',
      'q.status',
      'q.answers_count',
      'q.views_count',
      'q.votes_count',
      'q.written_at',
      'q.active_at',
    ])
    .select(['author.id as author_id', 'author.display_name', 'author.questions_count'])
    .select(['lecture.position as lecture_position', 'lecture.title as lecture_title'])
    .select(['course.slug as course_slug', 'course.title as course_title', 'course.time_zone'])
    .select((select) => [
      jsonArrayFrom(
        select
          .selectFrom('question_tags')
          .innerJoin('tags', 'tags.id', 'question_tags.tag_id')
          .select('tags.name')
          .whereRef('question_tags.question_id', '=', 'q.id')
          .orderBy('question_tags.position'),
      ).as('tags'),
      select
        .exists(
          select
            .selectFrom('answers')
            .innerJoin('course_members as member', (join) =>
              join
                .onRef('member.person_id', '=', 'answers.author_id')
                .onRef('member.course_id', '=', 'q.course_id'),
            )
            .select(sql.lit(1).as('one'))
            .whereRef('answers.question_id', '=', 'q.id')
            .where('answers.deleted_at', 'is', null)
            .where('member.role', '=', 'instructor'),
        )
        .as('has_instructor_answer'),
    ])
    .where('q.deleted_at', 'is', null)
    .where(visibleTo(viewer))
    .$if(filter.courseId !== null, (query) => query.where('q.course_id', '=', filter.courseId ?? 0))
    .$if(filter.status === 'unanswered', (query) => query.where('q.answers_count', '=', 0))
    .$if(filter.status === 'resolved' || filter.status === 'unresolved', (query) =>
      query.where('q.status', '=', filter.status as Status),
    )
    .$if(filter.lectureId !== null, (query) => query.where('q.lecture_id', '=', filter.lectureId))
    .$if(filter.authorId !== null, (query) => query.where('q.author_id', '=', filter.authorId ?? 0))
    .$if(filter.tagId !== null, (query) => query.where(hasTag(filter.tagId ?? 0)))
    .$if(cursor !== null, (query) =>
      query.where(
        beyondCursor(column, 'q.id', cursor ?? { value: 0, id: 0 }, kind, isBackwards ? 'before' : 'after'),
      ),
    )
    .orderBy(column, direction)
    .orderBy('q.id', direction)
    .limit(PAGE_SIZE + 1)
    .execute()
}

function hasTag(tagId: number) {
  return sql<boolean>`exists (select from question_tags where question_tags.question_id = q.id and question_tags.tag_id = ${tagId})`
}
