import { type RawBuilder, sql } from 'kysely'
import { type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { Database, Role } from '../../database/schema.ts'
import { type Hiding, hidingOf } from '../../kernel/rights/visibility.ts'
import { MAX_COUNTED } from '../courses/course-bar.ts'
import { DESK_VIEWS, type DeskViewName, deskView, isOfDesk } from './views.ts'

export const DESK_PAGE_SIZE = 30

export interface DeskFilter {
  readonly courseId: number
  readonly view: DeskViewName
  readonly lectureId: number | null
  readonly viewerId: number
  /** Without what is private, held or hidden. */
  readonly isShared?: true
}

export interface DeskRow {
  readonly id: number
  readonly title: string
  readonly votes_count: number
  readonly is_private: boolean
  /** Why only its author and staff see it; null: it is shown. */
  readonly hiding: Hiding | null
  readonly is_due: boolean
  readonly at: Date
  readonly waiting_since: Date | null
  readonly classmates_since: Date | null
  readonly asker_since: Date | null
  readonly replied_since: Date | null
  readonly snoozed_until: Date | null
  /** Staff have said something, here or in the forum that it was imported from, or it is closed: it can be done without an answer. */
  readonly is_answered: boolean
  readonly lecture_position: number | null
  readonly lecture_title: string | null
  readonly assignee_id: number | null
  readonly assignee_name: string | null
  readonly assignee_role: Role | null
  /** Who has it open to answer it; null: nobody. */
  readonly claimant_id: number | null
  readonly claimant_name: string | null
  readonly claimant_role: Role | null
}

/**
 * One page of a view. Its places come first, along one index, and what is shown of them is joined then. Indexes: question_desk has one for
 * each.
 */
export async function listDesk(
  db: Database,
  filter: DeskFilter,
  request: PageRequest,
  size = DESK_PAGE_SIZE,
) {
  const { column, isNewestFirst, condition } = deskView(filter.view, filter.viewerId)
  const [id, from, inPlace] = isOfDesk(filter.view)
    ? ['desk.question_id', sql`question_desk as desk`, inDesk(filter)]
    : ['q.id', sql`questions as q`, inCourse(filter)]
  const first = isNewestFirst ? 'greatest' : 'smallest'
  const { beyond, order } = pageAlong(column, id, 'time', request, first)
  const { rows } = await sql<DeskRow>`
    select ${columns(sql`place.at`)}
    from (
      select ${sql.ref(id)} as id, ${sql.ref(column)} as at from ${from}
      where ${condition} and ${inPlace} and ${beyond}
      order by ${order} limit ${sql.lit(size + 1)}
    ) as place
    join questions as q on q.id = place.id
    left join question_desk as desk on desk.question_id = place.id ${joined}
    order by ${pageAlong('place.at', 'place.id', 'time', request, first).order}`.execute(db)
  return pageOf(rows, size, request, (row) => row.at)
}

/** How many questions are in each view that is counted, MAX_COUNTED at most. */
export async function countDesk(db: Database, filter: Omit<DeskFilter, 'view'>) {
  const counted = DESK_VIEWS.filter(isOfDesk).map(
    (view) => sql`(select count(*) from (
      select from question_desk as desk where ${deskView(view, filter.viewerId).condition} and ${inDesk(filter)}
      limit ${sql.lit(MAX_COUNTED)}) as row)::integer as ${sql.ref(view)}`,
  )
  const { rows } = await sql<Record<DeskViewName, number>>`select ${sql.join(counted)}`.execute(db)
  const none = { waiting: 0, mine: 0, classmates: 0, asker: 0, snoozed: 0, closed: 0, private: 0, all: 0 }
  return { ...none, ...rows[0] }
}

/** The place of a question in a view that is counted, from 1; null: it is not in it, or behind MAX_COUNTED others. */
export async function placeOnDesk(db: Database, filter: DeskFilter, id: number): Promise<number | null> {
  if (!isOfDesk(filter.view)) return null
  const { column, condition } = deskView(filter.view, filter.viewerId)
  const inView = sql`${condition} and ${inDesk(filter)}`
  const { rows } = await sql<{ before: number }>`
    select (select count(*) from (
        select from question_desk as desk
        where ${inView} and (${sql.ref(column)}, desk.question_id) < (one.at, one.id)
        limit ${sql.lit(MAX_COUNTED)}) as row)::integer as before
    from (
      select desk.question_id as id, ${sql.ref(column)} as at from question_desk as desk
      where desk.question_id = ${id} and ${inView}) as one`.execute(db)
  const before = rows[0]?.before ?? MAX_COUNTED
  return before < MAX_COUNTED ? before + 1 : null
}

/** The question of a course that waits longest and nobody else has taken; null: none does. */
export async function nextOnDesk(db: Database, filter: Omit<DeskFilter, 'view'>) {
  const { condition } = deskView('waiting', filter.viewerId)
  const { rows } = await sql<{ id: number; title: string }>`
    select q.id, q.title from question_desk as desk join questions as q on q.id = desk.question_id
    where ${condition} and ${inDesk(filter)}
      and (desk.assignee_id is null or desk.assignee_id = ${filter.viewerId})
    order by desk.waiting_since, desk.question_id limit 1`.execute(db)
  return rows[0] ?? null
}

export async function findDeskRow(db: Database, courseId: number, id: number): Promise<DeskRow | null> {
  const { rows } = await sql<DeskRow>`
    select ${columns(sql`q.written_at`)}
    from questions as q left join question_desk as desk on desk.question_id = q.id ${joined}
    where q.id = ${id} and q.course_id = ${courseId}`.execute(db)
  return rows[0] ?? null
}

const columns = (at: RawBuilder<unknown>) => sql`
  q.id, q.title, q.votes_count, q.audience = 'staff' as is_private, ${hidingOf('q')} as hiding, ${at} as at,
  coalesce(desk.waiting_since <= now() - course.promise_hours * interval '1 hour', false) as is_due,
  desk.waiting_since, desk.classmates_since, desk.asker_since, desk.replied_since, desk.snoozed_until,
  desk.first_staff_at is not null or q.closed_at is not null
    or exists (select from imported_posts where question_id = q.id) as is_answered,
  lecture.position as lecture_position, lecture.title as lecture_title,
  assignee.id as assignee_id, assignee.display_name as assignee_name, member.role as assignee_role,
  claimant.id as claimant_id, claimant.display_name as claimant_name, claiming.role as claimant_role`

const joined = sql`
  join courses as course on course.id = q.course_id
  left join lectures as lecture on lecture.id = q.lecture_id
  left join people as assignee on assignee.id = desk.assignee_id
  left join course_members as member on member.course_id = q.course_id and member.person_id = desk.assignee_id
  left join desk_claims as claim on claim.question_id = q.id and claim.claimed_until > now()
  left join people as claimant on claimant.id = claim.person_id
  left join course_members as claiming on claiming.course_id = q.course_id and claiming.person_id = claim.person_id`

/** An archived course waits for nobody. */
function inDesk({ courseId, lectureId, isShared }: Omit<DeskFilter, 'view'>) {
  const inLecture = lectureId === null ? sql`true` : sql`desk.lecture_id = ${lectureId}`
  const shared =
    isShared === true
      ? sql`exists (select from questions where id = desk.question_id and is_listed)`
      : sql`true`
  return sql`desk.course_id = ${courseId} and ${inLecture} and ${shared}
    and exists (select from courses where id = ${courseId} and archived_at is null)`
}

function inCourse({ courseId, lectureId }: Omit<DeskFilter, 'view'>) {
  return lectureId === null
    ? sql`q.course_id = ${courseId}`
    : sql`q.course_id = ${courseId} and q.lecture_id = ${lectureId}`
}
