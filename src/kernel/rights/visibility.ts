import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type Actor, type CourseAct, may, reachOf } from './rights.ts'
import { RIGHTS } from './table.ts'

/** What reading does not depend on. */
const ANY = { isOpen: false, isArchived: false } as const

export function isVisible(
  viewer: Actor | null,
  course: { readonly id: number; readonly isPublic: boolean },
): boolean {
  return may(viewer, 'read', { ...ANY, courseId: course.id, isPublic: course.isPublic })
}

/** No run is bringing it in (src/operating/exchange). @param post its table's alias */
export const isThere = (post: string) =>
  sql<boolean>`${sql.ref(`${post}.held_for`)} is distinct from 'import'`

interface Reading {
  readonly readsCourse: RawBuilder<unknown>
  readonly isAsker: RawBuilder<unknown>
  readonly isStaff: RawBuilder<unknown>
}

/**
 * Whether a reader may read the question of alias `q`, deleted or not: who may read its course, unless it is private, held back or
 * hidden; then its asker and the course's staff. The same as the acts 'read', 'read-private' and 'read-hidden' of the table of rights.
 */
function mayReadQuestion({ readsCourse, isAsker, isStaff }: Reading): RawBuilder<boolean> {
  return sql<boolean>`(${readsCourse} and ${isThere('q')} and (
    q.audience = 'course' and q.held_at is null and q.hidden_at is null or ${isAsker} or ${isStaff}))`
}

/** Whether somebody may read a question, as a condition on the tables or aliases `q` and `course`. */
export function readableTo(viewer: Actor | null): RawBuilder<boolean> {
  const readsCourse = visibleTo(viewer)
  if (reachOf(viewer, 'read-private').isAll) return sql<boolean>`(${readsCourse} and ${isThere('q')})`
  return mayReadQuestion({ readsCourse, isAsker: wrote(viewer, 'q'), isStaff: staffs(viewer) })
}

/**
 * Whether somebody may know what happened to a question, of alias `q`, or below it, while it was for this audience, though it may be gone
 * by now: its asker and the course's staff know of private ones. A condition on `course`, where it happened.
 */
export function couldReadAs(viewer: Actor | null, audience: RawBuilder<unknown>): RawBuilder<boolean> {
  const readsCourse = visibleTo(viewer)
  if (reachOf(viewer, 'read-private').isAll) return readsCourse
  return sql<boolean>`(${readsCourse} and (${audience} = 'course' or ${wrote(viewer, 'q')} or ${staffs(viewer)}))`
}

/**
 * Whether a post of a question that somebody may read is there for them: what is shown, and what is held back
 * or hidden for its author and the course's staff. A condition on this alias and the table or alias `course`. What a run brings in is there
 * for no one yet.
 */
export function shownTo(viewer: Actor | null, post: string): RawBuilder<boolean> {
  const isShown = sql<boolean>`${sql.ref(`${post}.is_shown`)}`
  if (viewer === null) return isShown
  const isSeen = reachOf(viewer, 'read-hidden').isAll
    ? sql`true`
    : sql`(${wrote(viewer, post)} or ${staffs(viewer)})`
  return sql<boolean>`(${isShown} or ${sql.ref(`${post}.deleted_at`)} is null and ${isSeen} and ${isThere(post)})`
}

/** Why a post that is not deleted is not shown; null: it is. @param post its table's alias */
export function hidingOf(post: string): RawBuilder<Hiding | null> {
  return sql<Hiding | null>`case when ${sql.ref(`${post}.hidden_at`)} is not null then 'hidden'
    when ${sql.ref(`${post}.held_at`)} is not null then 'held' end`
}

/** 'held': it waits to be let through. 'hidden': moderators hid it. */
export type Hiding = 'held' | 'hidden'

function wrote(viewer: Actor | null, post: string): RawBuilder<unknown> {
  if (viewer === null) return sql`false`
  const there = viewer.onlyCourseIds === undefined ? sql`` : sql` and ${isWhereItCounts(viewer)}`
  return sql`${sql.ref(`${post}.author_id`)} = ${viewer.id}${there}`
}

/** Whether what somebody came with counts in the course of the table or alias `course`. */
export function isWhereItCounts({ onlyCourseIds }: Actor): RawBuilder<boolean> {
  return onlyCourseIds === undefined ? sql`true` : sql`course.id = any(${onlyCourseIds})`
}

function staffs(viewer: Actor | null): RawBuilder<unknown> {
  const { courseIds } = reachOf(viewer, 'read-private')
  return courseIds.length === 0 ? sql`false` : sql`course.id = any(${courseIds})`
}

/** Whether somebody may read a course, or ask in it, as a condition on the table or alias `course`. */
export function visibleTo(viewer: Actor | null, act: CourseAct = 'read'): RawBuilder<boolean> {
  const { isAll, isPublic, courseIds } = reachOf(viewer, act)
  const runs = RIGHTS[act].on.includes('archived') ? null : sql`course.archived_at is null`
  if (isAll) return sql<boolean>`${runs ?? sql`true`}`
  const own = courseIds.length === 0 ? null : sql`course.id = any(${courseIds})`
  const open =
    RIGHTS[act].who.outsider === 'open'
      ? sql`course.is_public and course.asking = 'everybody'`
      : sql`course.is_public`
  const ways = [isPublic ? open : null, own].filter((way) => way !== null)
  const reached = ways.length === 0 ? sql`false` : sql.join(ways, sql` or `)
  return runs === null ? sql<boolean>`(${reached})` : sql<boolean>`((${reached}) and ${runs})`
}

/** The courses that somebody may read, as lists over many courses need to know them. */
export interface ReadableCourses {
  readonly ids: readonly number[]
  /** There are no others. */
  readonly isAll: boolean
  /** How many of all questions they hold, 0 to 1. */
  readonly share: number
  /** Of the only one of them, as its instructor typed them; '' of several. */
  readonly synonyms: string
}

/**
 * One small query: there are far fewer courses than questions.
 * @param narrowed a condition on `course` to leave others out
 */
export async function readableCourses(
  db: Database,
  viewer: Actor | null,
  narrowed: RawBuilder<boolean> = sql`true`,
): Promise<ReadableCourses> {
  const isRead = sql`${visibleTo(viewer)} and ${narrowed}`
  const { rows } = await sql<Omit<ReadableCourses, 'share'> & { readable: number; total: number }>`
    select coalesce(jsonb_agg(course.id) filter (where ${isRead}), '[]') as ids,
      coalesce(bool_and(${isRead}), true) as "isAll",
      case count(*) filter (where ${isRead}) when 1 then max(synonyms) filter (where ${isRead}) else '' end as synonyms,
      coalesce(sum(questions_count) filter (where ${isRead}), 0)::bigint as readable,
      coalesce(sum(questions_count), 0)::bigint as total
    from courses as course`.execute(db)
  const none = { ids: [], isAll: false, synonyms: '', readable: 0, total: 0 }
  const { readable, total, ...courses } = rows[0] ?? none
  return { ...courses, share: total === 0 ? 0 : readable / total }
}

/** Whether the person of alias `person` may read the course of alias `course`; `member`: their row in it or nulls. */
export const isCourseReadableByPerson: RawBuilder<boolean> = sql<boolean>`(
  course.is_public or member.person_id is not null or person.is_admin)`

/**
 * Whether the person of alias `person` may read the question of alias `q`, which is not deleted, as a condition of a query over
 * many people. Aliases `course`, of the question, and `member`, the person's row in it or nulls. readable-question.test.ts holds
 * it to the table of rights. Whoever is told of something asks for `q.is_shown` as well.
 */
export const isReadableByPerson: RawBuilder<boolean> = sql<boolean>`(q.deleted_at is null and ${mayReadQuestion(
  {
    readsCourse: isCourseReadableByPerson,
    isAsker: sql`q.author_id = person.id`,
    isStaff: sql`coalesce(member.role <> 'learner', false) or person.is_admin`,
  },
)})`

/**
 * The same of somebody who would be a learner of its course: what they wrote there without an account is theirs to read, and of others what
 * the course reads.
 */
export const isReadableByLearner: RawBuilder<boolean> = sql<boolean>`(q.deleted_at is null and ${mayReadQuestion(
  { readsCourse: sql`true`, isAsker: sql`q.author_id = person.id`, isStaff: sql`false` },
)})`

/** The joins that isReadableByPerson needs beside `person` and `q`. */
export const joinReader: RawBuilder<unknown> = sql`
  join courses as course on course.id = q.course_id
  left join course_members as member on member.course_id = q.course_id and member.person_id = person.id`
