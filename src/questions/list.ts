import { type RawBuilder, sql } from 'kysely'
import { type ReadableCourses, readableCourses } from '../courses/readable.ts'
import { type Cursor, FIRST_PAGE, type Page, type PageRequest, pageOf } from '../database/keyset.ts'
import type { Database } from '../database/schema.ts'
import type { Standing } from '../page-cache/concerns.ts'
import { askedCount } from '../people/asked-count.ts'
import type { Actor } from '../rights.ts'
import { tagsOf } from '../tags/tags-of.ts'
import { type QuestionFilter, SORT_COLUMNS, type Sort } from './list-filter.ts'
import { placesQuery, scopeOf } from './list-places.ts'

export { type QuestionFilter, SORTS, type Sort, STATUS_FILTERS } from './list-filter.ts'

export const PAGE_SIZE = 20

export type ListedQuestion = Awaited<ReturnType<ReturnType<typeof selectQuestions>['execute']>>[number]

/** A page of a list, and what decides that it is this one. */
export interface ListPage extends Page<ListedQuestion> {
  /** All rows that were read: those of the page, and the next one, which tells that there are more. */
  readonly read: readonly ListedQuestion[]
  /** The page is what lies below this place and above that one; null: from the top, to the end. */
  readonly above: Cursor | null
  readonly below: Cursor | null
}

/**
 * One page of the questions a person may see. Which rows those are, `placesQuery` finds along one index.
 * @param readable the courses the viewer may read, where they are known already
 */
export async function listQuestions(
  db: Database,
  viewer: Actor | null,
  filter: QuestionFilter,
  request: PageRequest,
  readable?: ReadableCourses,
): Promise<ListPage> {
  const scope = await scopeOf(db, filter, readable ?? (await readableCourses(db, viewer)))
  const select = (page: PageRequest) =>
    selectQuestions(db, viewer, placesQuery(scope, page, PAGE_SIZE + 1), filter.sort, page).execute()
  const read = await select(request)
  // Nothing beyond the cursor, as what was there is deleted or moved: an empty page would look like an empty forum.
  if (read.length === 0 && (request.after ?? request.before) !== null) {
    const first = await select(FIRST_PAGE)
    return { ...pageOf(first, PAGE_SIZE, FIRST_PAGE), read: first, above: null, below: null }
  }
  const next = read[PAGE_SIZE]
  const end = next === undefined ? null : cursorOf(next, filter.sort)
  const isBackwards = request.before !== null && request.after === null
  const [above, below] = isBackwards ? [end, request.before] : [request.after, end]
  return { ...pageOf(read, PAGE_SIZE, request), read, above, below }
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

/** A question as lists show it, and where it stands in them. */
export interface StandingQuestion {
  readonly question: ListedQuestion
  readonly standing: Standing
}

/** Single questions; deleted ones too, and those that the viewer may not read. */
export async function standingQuestions(
  db: Database,
  viewer: Actor | null,
  ids: readonly number[],
): Promise<StandingQuestion[]> {
  const places = sql<{ id: number }>`select unnest(${ids}::bigint[]) as id`
  const rows = await selectQuestions(db, viewer, places, 'newest', FIRST_PAGE)
    .select(['q.state', 'q.lecture_id', 'q.deleted_at'])
    .select(
      sql<number[]>`(select coalesce(json_agg(tag_id), '[]') from question_tags where question_id = q.id)`.as(
        'tag_ids',
      ),
    )
    .execute()
  return rows.map(({ state, lecture_id, deleted_at, tag_ids, ...question }) => ({
    question,
    standing: {
      question: question.id,
      course: question.course_id,
      lecture: lecture_id,
      author: question.author_id,
      state,
      isDeleted: deleted_at !== null,
      writtenAt: question.written_at.getTime(),
      activeAt: question.active_at.getTime(),
      votes: question.votes_count,
      views: question.views_count,
      tags: tag_ids,
    },
  }))
}

/** What a list shows of the questions with these ids. */
function selectQuestions(
  db: Database,
  viewer: Actor | null,
  places: RawBuilder<{ id: number }>,
  sort: Sort,
  request: PageRequest,
) {
  const isBackwards = request.before !== null && request.after === null
  const direction = isBackwards ? 'asc' : 'desc'
  return db
    .selectFrom(sql<{ id: number }>`(${places})`.as('place'))
    .innerJoin('questions as q', 'q.id', 'place.id')
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
    .select(['author.id as author_id', 'author.display_name', askedCount(viewer).as('questions_count')])
    .select(['lecture.position as lecture_position', 'lecture.title as lecture_title'])
    .select([
      'course.id as course_id',
      'course.slug as course_slug',
      'course.title as course_title',
      'course.time_zone',
    ])
    .select((select) => [tagsOf(select).as('tags'), hasInstructorAnswer.as('has_instructor_answer')])
    .orderBy(SORT_COLUMNS[sort].column, direction)
    .orderBy('q.id', direction)
}

/**
 * The few answers of a question first, then whether an instructor wrote one: `offset 0` keeps PostgreSQL from beginning with
 * the instructors, who wrote thousands.
 */
const hasInstructorAnswer = sql<boolean>`exists (
  select from (select author_id from answers where question_id = q.id and deleted_at is null offset 0) as answer
  join course_members as member on member.person_id = answer.author_id and member.course_id = q.course_id
  where member.role = 'instructor' offset 0)`
