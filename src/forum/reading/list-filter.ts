import { type RawBuilder, sql } from 'kysely'
import { type PageRequest, pageAlong } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import { isThere, type ReadableCourses } from '../../kernel/rights/visibility.ts'

export const SORTS = ['newest', 'active', 'votes', 'views'] as const
export type Sort = (typeof SORTS)[number]
export const STATUS_FILTERS = ['unresolved', 'resolved', 'unanswered'] as const
export type StatusFilter = (typeof STATUS_FILTERS)[number]

/** A reader, and the questions that something unseen was told of, which are unread whenever they were last active. */
export interface UnreadTo {
  readonly personId: number
  readonly told: readonly number[]
}

/** Whole days in a time zone, as `2026-09-07`; both belong to it. */
export interface WrittenDays {
  readonly from: string
  readonly to: string
  readonly timeZone: string
}

/** Which questions, in which order. `null` means all. */
export interface QuestionFilter {
  readonly courseId: number | null
  readonly status: StatusFilter | null
  readonly tagId: number | null
  readonly lectureId: number | null
  readonly authorId: number | null
  /** Of their own: private and anonymous ones too, which no list of somebody else has. */
  readonly isOwn: boolean
  /** Who follows them; null: whether anybody does is not asked. */
  readonly followerId: number | null
  /** To whom they are unread; null: whether they are is not asked. */
  readonly unread: UnreadTo | null
  readonly written: WrittenDays | null
  readonly sort: Sort
}

/** All questions, the newest first: what other lists narrow. */
export const NEWEST: QuestionFilter = {
  courseId: null,
  status: null,
  tagId: null,
  lectureId: null,
  authorId: null,
  isOwn: false,
  followerId: null,
  unread: null,
  written: null,
  sort: 'newest',
}

/**
 * What a sort goes by: the column, and how its cursors are written. All questions and each course have an index for each. By votes
 * and views a lecture and a tag have none, and an author has one in all: what they hold is read and sorted.
 */
export const SORT_COLUMNS = {
  newest: { column: 'q.written_at', kind: 'time' },
  active: { column: 'q.active_at', kind: 'time' },
  votes: { column: 'q.votes_count', kind: 'count' },
  views: { column: 'q.views_count', kind: 'count' },
} as const

/** The states (questions.state) of each status filter. */
const STATES: Readonly<Record<StatusFilter | 'all', readonly number[]>> = {
  all: [0, 1, 2, 3],
  unresolved: [0, 1],
  resolved: [2, 3],
  unanswered: [1, 3],
}

/** The states that a filter asks for. */
export function statesOf(filter: QuestionFilter): readonly number[] {
  return STATES[filter.status ?? 'all']
}

/** A list does not look for so small a share of the questions among all the others, but course by course. */
const FEW = 1 / 20

type Scope = Awaited<ReturnType<typeof scopeOf>>

/**
 * Decides which index a list goes along: that of the author, the lecture, the tag, the course, or of all questions.
 * @returns `courses` null: none is left out; `isByCourse`: no other index leads to them; `isRareTag`: the tag has so few questions in
 *   these courses that they are all read
 */
export async function scopeOf(db: Database, filter: QuestionFilter, readable: ReadableCourses) {
  const { courseId, tagId, lectureId, authorId, followerId, unread } = filter
  const isNarrow = followerId === null && unread === null && (courseId !== null || readable.share < FEW)
  const all = readable.isAll ? null : readable.ids
  const courses = courseId === null ? all : readable.ids.filter((id) => id === courseId)
  const isByCourse = isNarrow && tagId === null && lectureId === null && authorId === null
  const isRareTag = isNarrow && tagId !== null && (await isRare(db, tagId, courses ?? []))
  return { filter, courses, isByCourse, isRareTag }
}

/**
 * The ids of one page, as a query: of each state asked for the first `size` along the index of the scope and sort, and of
 * those the first `size`. Nothing more is sorted, whatever the scope holds.
 */
export function placesQuery(scope: Scope, request: PageRequest, size: number): RawBuilder<{ id: number }> {
  const { filter, courses, isByCourse } = scope
  const { beyond, order } = orderOf(filter, request)
  if (filter.followerId !== null) return followedPlaces(scope, filter.followerId, request, size)
  if (filter.unread !== null) return unreadPlaces(scope, filter.unread, request, size)
  const column = sql.ref(SORT_COLUMNS[filter.sort].column)
  const [only, ...others] = courses ?? []
  const isEach = isByCourse && others.length > 0
  const eachCourse = sql`cross join unnest(${courses}::bigint[]) as course (id)`
  // One course, and the limits, are said as they are: of arrays and parameters PostgreSQL expects more than there is.
  const inOne =
    isByCourse && only !== undefined
      ? sql`q.course_id = ${only}`
      : sql`q.course_id = any(${courses}::bigint[])`
  const inCourses = isEach ? sql`q.course_id = course.id` : inOne
  return sql`
    select q.id from unnest(${statesOf(filter)}::smallint[]) as wanted (state)
    ${isEach ? eachCourse : sql``}
    cross join lateral (
      select q.id, ${column} from ${rowsOf(scope)} where q.state = wanted.state and ${beyond}
      and ${courses === null ? sql`true` : inCourses}
      order by ${order} limit ${sql.lit(size)}
    ) as q order by ${order} limit ${sql.lit(size)}`
}

/**
 * The ids of one page of what somebody follows, as a query. Nobody follows more than a small part of a forum, so all of it is
 * read once, whatever the states. Index: question_follows_person. `offset 0`: the follows lead, not an index of the sort.
 */
function followedPlaces({ filter, courses }: Scope, followerId: number, request: PageRequest, size: number) {
  const { beyond, order } = orderOf(filter, request)
  const { tagId, lectureId } = filter
  const tagged = sql`exists (select from question_tags where question_id = q.id and tag_id = ${tagId})`
  return sql<{ id: number }>`
    select q.id from (
      select q.* from question_follows as follow join questions as q on q.id = follow.question_id
      where follow.person_id = ${followerId} and follow.level = 'follow' offset 0
    ) as q
    where q.is_listed and q.state = any(${statesOf(filter)}::smallint[]) and ${beyond}
      and ${courses === null ? sql`true` : sql`q.course_id = any(${courses}::bigint[])`}
      and ${lectureId === null ? sql`true` : sql`q.lecture_id = ${lectureId}`}
      and ${tagId === null ? sql`true` : tagged}
    order by ${order} limit ${sql.lit(size)}`
}

/** Of each course and state a list of what is unread has those last active, no more than this. */
const MAX_UNREAD = 1000

/**
 * Whether question `q` came with an import, and nothing has happened in it here since: it is new to no one. Uses indexes
 * imported_posts_question… and import_runs_pkey.
 */
export const isUntouched = sql<boolean>`(q.is_imported and coalesce(q.active_at <= (
  select run.ended_at from imported_posts as brought join import_runs as run on run.id = brought.run_id
  where brought.question_id = q.id), false))`

/**
 * The ids of one page of what is unread to somebody, as a query, by the rules of notifications/own.ts: in each course they have opened,
 * what was last active after they read the course and the question. Index: questions_course_state_active.
 */
function unreadPlaces(
  { filter, courses }: Scope,
  { personId, told }: UnreadTo,
  request: PageRequest,
  size: number,
): RawBuilder<{ id: number }> {
  const { beyond, order } = orderOf(filter, request)
  const { courseId, tagId, lectureId } = filter
  const tagged = sql`exists (select from question_tags where question_id = q.id and tag_id = ${tagId})`
  return sql`
    select q.id from questions as q
    where q.id = any(array(
      select fresh.id from course_reads as course_read
      cross join unnest(${statesOf(filter)}::smallint[]) as wanted (state)
      cross join lateral (
        select q.id from questions as q
        left join question_reads as known on known.person_id = ${personId} and known.question_id = q.id
        where q.is_listed and q.course_id = course_read.course_id and q.state = wanted.state
          and q.active_at > course_read.read_up_to and not ${isUntouched}
          and (q.active_at > known.read_at or known.read_at is null and q.author_id <> ${personId})
        order by q.active_at desc, q.id desc limit ${sql.lit(MAX_UNREAD)}
      ) as fresh
      where course_read.person_id = ${personId}
        and ${courseId === null ? sql`true` : sql`course_read.course_id = ${courseId}`}
      union
      select unnest(${told}::bigint[])
    )) and q.is_listed and ${beyond} and q.state = any(${statesOf(filter)}::smallint[])
      and ${courses === null ? sql`true` : sql`q.course_id = any(${courses}::bigint[])`}
      and ${lectureId === null ? sql`true` : sql`q.lecture_id = ${lectureId}`}
      and ${tagId === null ? sql`true` : tagged}
    order by ${order} limit ${sql.lit(size)}`
}

/** The questions of the scope; a tag's as they stand beside it, under the same names, where the sort stands there, too. */
function rowsOf({ filter, courses, isRareTag }: Scope): RawBuilder<unknown> {
  const { tagId, lectureId, authorId, isOwn, sort } = filter
  // One's own: also what is private, held back or hidden.
  const seen = isOwn
    ? sql`deleted_at is null and ${isThere('questions')}`
    : sql`is_listed and not is_anonymous`
  const author = authorId === null ? sql`is_listed` : sql`author_id = ${authorId} and ${seen}`
  const lecture = lectureId === null ? sql`` : sql`and lecture_id = ${lectureId}`
  const questions = (tagged: RawBuilder<unknown>) =>
    sql`(select * from questions where ${author} ${lecture} ${tagged}) as q`
  if (tagId === null) return questions(sql``)
  if (isRareTag)
    return questions(sql`and id = any(array(
      select question_id from question_tags where tag_id = ${tagId} and course_id = any(${courses}::bigint[])))`)
  if (lectureId !== null || authorId !== null)
    return questions(
      sql`and exists (select from question_tags where question_id = questions.id and tag_id = ${tagId})`,
    )
  const tagged = sql`tagged.tag_id = ${tagId} and not tagged.is_deleted`
  if (sort === 'newest' || sort === 'active')
    return sql`(select question_id as id, course_id, state, written_at, active_at from question_tags as tagged where ${tagged}) as q`
  // Counters don't: each vote would be written once more for each tag.
  return sql`(
    select questions.* from question_tags as tagged
    join questions on questions.id = tagged.question_id and questions.state = tagged.state
    where ${tagged}) as q`
}

/** The order of a page, and what is beyond its cursor; of the days asked for alone. */
function orderOf(filter: QuestionFilter, request: PageRequest) {
  const { column, kind } = SORT_COLUMNS[filter.sort]
  const along = pageAlong(column, 'q.id', kind, request)
  if (filter.written === null) return along
  const { from, to, timeZone } = filter.written
  const midnight = (day: RawBuilder<unknown>) => sql`(${day})::timestamp at time zone ${timeZone}`
  const first = midnight(sql`${from}::date`)
  const end = midnight(sql`${to}::date + 1`)
  return { ...along, beyond: sql`${along.beyond} and q.written_at >= ${first} and q.written_at < ${end}` }
}

/**
 * Of a tag with `all` questions, `few` of them in these courses, a page along the sort is found after about
 * 20 × all / few rows, and all of them are read after `few`.
 */
async function isRare(db: Database, tagId: number, courses: readonly number[]): Promise<boolean> {
  const { rows } = await sql<{ few: number; all: number }>`
    select coalesce(sum(questions_count) filter (where course_id = any(${courses})), 0)::bigint as few,
      coalesce(sum(questions_count), 0)::bigint as all
    from course_tags where tag_id = ${tagId}`.execute(db)
  const { few, all } = rows[0] ?? { few: 0, all: 0 }
  return few * few < 20 * all
}
