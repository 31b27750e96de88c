import { type RawBuilder, sql } from 'kysely'
import type { Role, Row } from '../../database/schema.ts'
import { canSignIn } from '../../kernel/rights/person.ts'
import { type Actor, may } from '../../kernel/rights/rights.ts'

/** Decides who may handle a case: someone of a higher role than its author, never the author. */
interface Handled extends Pick<Row<'cases'>, 'person_id' | 'course_id' | 'is_for_admins'> {
  /** Today's role in the course of the person it is about. */
  readonly author_role: Role | null
  readonly author_is_admin: boolean
}

const RANKS = { learner: 0, assistant: 1, instructor: 2 } as const

/** The same as `mayHandle` asks of roles, of a row of course_members, or none. */
const rankOf = (role: RawBuilder<unknown>) =>
  sql`(case ${role} when 'instructor' then 2 when 'assistant' then 1 else 0 end)`

/**
 * Whether somebody may handle a case. Nobody handles one about themselves, nor about an equal in the course; of admins each handles
 * what is about the others, as nobody is above them.
 */
export function mayHandle(viewer: Actor | null, handled: Handled): boolean {
  const { course_id: courseId, author_role: role } = handled
  if (viewer === null || viewer.id === handled.person_id) return false
  if (may(viewer, 'moderate-forum')) return true
  if (handled.is_for_admins || courseId === null || handled.author_is_admin) return false
  if (!may(viewer, 'moderate', { ...ANY_STATE, courseId })) return false
  return RANKS[viewer.roles[courseId] ?? 'learner'] > RANKS[role ?? 'learner']
}

export function seesReporters(viewer: Actor, courseId: number | null): boolean {
  if (courseId === null) return may(viewer, 'moderate-forum')
  return may(viewer, 'see-reporters', { ...ANY_STATE, courseId })
}

/** Whether the role of `member` is above that of the person whom the case is about; an admin's is above all. Aliases as below. */
const isAboveAccused = sql`(not coalesce(accused.is_admin, false) and ${rankOf(sql`member.role`)} > ${rankOf(sql`accused_member.role`)})`

/**
 * `mayHandle` of the person of alias `person` with the case of alias `matter`, for queries over many people or cases. Aliases
 * `member`, the person's row in the case's course, and `accused` and `accused_member`, the same of whom the case is about, or nulls.
 */
export const isHandledByPerson: RawBuilder<boolean> = sql<boolean>`(
  matter.person_id is distinct from person.id and (person.is_admin
    or (not matter.is_for_admins and matter.course_id is not null and ${isAboveAccused})))`

/** Whom a case is about, and their place in its course. */
export const joinAccused: RawBuilder<unknown> = sql`
  left join people as accused on accused.id = matter.person_id
  left join course_members as accused_member
    on accused_member.course_id = matter.course_id and accused_member.person_id = matter.person_id`

/** The joins that isHandledByPerson needs beside `matter` and `person`. */
export const joinHandler: RawBuilder<unknown> = sql`
  left join course_members as member on member.course_id = matter.course_id and member.person_id = person.id
  ${joinAccused}`

/**
 * Whether the person of alias `person` is on the staff of the course of case `matter`, or an admin where it
 * is theirs, and can sign in.
 */
export const couldHandle: RawBuilder<unknown> = sql`${canSignIn()} and case
  when matter.is_for_admins then person.is_admin
  else person.id in (select staff.person_id from course_members as staff
    where staff.course_id = matter.course_id and staff.role <> 'learner') end`

/**
 * The joins that isHandledByPerson needs for one viewer. Roles are those of the viewer, which a
 * token can narrow, not those of the account.
 */
export const handledBy = (viewer: Actor) => sql`
  join (select ${viewer.id}::bigint as id, ${may(viewer, 'moderate-forum')}::boolean as is_admin) as person on true
  left join lateral (select ${JSON.stringify(viewer.roles)}::jsonb ->> matter.course_id::text as role) as member on true
  ${joinAccused}`

/**
 * Whether someone on the staff of its course can handle a case of alias `matter`, once it is the course's: admins have a queue of their
 * own, and who is suspended decides nothing. Uses indexes course_members_staff and measures_suspended.
 * @param except the id of one of them who doesn't count
 */
const handlerInCourse = (except: RawBuilder<unknown>) => sql<boolean>`exists (
  select from course_members as member
  join people as person on person.id = member.person_id and not person.is_admin and ${canSignIn()}
  ${joinAccused}
  where member.course_id = matter.course_id and member.role <> 'learner' and matter.person_id is distinct from person.id
    and person.id is distinct from ${except} and ${isAboveAccused}
    and not exists (select from measures where measures.person_id = person.id and measures.kind = 'suspend'
      and measures.ended_at is null and (measures.is_everywhere or measures.course_id = matter.course_id)))`

export const hasHandlerInCourse: RawBuilder<boolean> = handlerInCourse(sql`null::bigint`)

/** The same but for the person who took the measure of alias `decided`. */
export const hasHandlerBesideMaker: RawBuilder<boolean> = handlerInCourse(sql`decided.made_by`)

/** Moderation depends on neither: staff read every case of their course, and decide in archived courses too. */
export const ANY_STATE = { isPublic: true, isOpen: false, isArchived: false } as const
