import { type RawBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageAlong, pageOf } from '../../database/keyset.ts'
import type { CaseAbout, CaseState, Database, ReportReason } from '../../database/schema.ts'
import { type Actor, may } from '../../rights/rights.ts'
import type { AuthorRow } from '../authors/byline.ts'
import { sealedName } from '../authors/sealed-name.ts'
import { isHandledByPerson, joinAccused } from './handlers.ts'

export const CASE_VIEWS = ['open', 'objections', 'decided'] as const
export type CaseView = (typeof CASE_VIEWS)[number]
export const CASES_PER_PAGE = 30
/** More are not counted one by one. */
export const MAX_COUNTED = 100

/** A case in a queue. */
export interface QueuedCase extends AuthorRow {
  readonly id: number
  readonly about: CaseAbout
  readonly reason: ReportReason
  readonly state: CaseState
  readonly reportsCount: number
  /** What it is about; all null: a person. */
  readonly questionId: number | null
  readonly answerId: number | null
  readonly replyId: number | null
  readonly openedAt: Date
  readonly decidedAt: Date | null
  /** When it was opened, or decided. */
  readonly at: Date
  readonly courseId: number | null
  readonly openedBy: number | null
  readonly isEdited: boolean
  /** The beginning of the text as it was reported; null: redacted or past its term. */
  readonly text: string | null
  readonly claimedBy: number | null
  readonly claimedName: string | null
  readonly claimedRole: AuthorRow['author_role']
}

/** The queue of a course, or (null) of the admins. */
export interface QueueFilter {
  readonly viewer: Actor
  readonly courseId: number | null
  readonly view: CaseView
}

/** The condition of a queue's cases: those that wait in the course, or with the admins, who see every decision. */
const IN_VIEW: Readonly<Record<CaseView, (courseId: number | null) => RawBuilder<unknown>>> = {
  open: (courseId) => sql`matter.state = 'open' and ${ofQueue(courseId)}`,
  // Those that wait are few, and found first, by objections_waiting: however many cases were decided.
  objections: (courseId) => sql`matter.state <> 'open' and ${ofQueue(courseId)} and matter.id = any(array(
    select measures.case_id from objections join measures on measures.id = objections.measure_id
    where objections.answered_at is null))`,
  decided: (courseId) => sql`matter.state <> 'open' and ${ofQueue(courseId)}`,
}

const ofQueue = (courseId: number | null) =>
  courseId === null
    ? sql`matter.is_for_admins`
    : sql`(not matter.is_for_admins and matter.course_id = ${courseId})`

/**
 * The case as its viewer may handle it: no one else sees it, so that it is no hint either. Roles are those of the viewer, which a
 * token can narrow, not those of the account.
 */
const handledBy = (viewer: Actor) => sql`
  join (select ${viewer.id}::bigint as id, ${may(viewer, 'moderate-forum')}::boolean as is_admin) as person on true
  left join lateral (select ${JSON.stringify(viewer.roles)}::jsonb ->> matter.course_id::text as role) as member on true
  ${joinAccused}`

/** One page of a queue: what is open the oldest first, what is decided the latest first. */
export async function listCases(
  db: Database,
  { viewer, courseId, view }: QueueFilter,
  request: PageRequest,
  size = CASES_PER_PAGE,
): Promise<Page<QueuedCase>> {
  const [at, first] =
    view === 'decided'
      ? (['matter.decided_at', 'greatest'] as const)
      : (['matter.opened_at', 'smallest'] as const)
  const { beyond, order } = pageAlong(at, 'matter.id', 'time', request, first)
  const { rows } = await sql<QueuedCase>`
    select matter.id, matter.about, matter.reason, matter.state, matter.reports_count as "reportsCount", ${sql.ref(at)} as at,
      matter.question_id as "questionId", matter.answer_id as "answerId", matter.reply_id as "replyId",
      matter.opened_at as "openedAt", matter.decided_at as "decidedAt", matter.course_id as "courseId", matter.opened_by as "openedBy",
      coalesce(question.version, answer.version, reply.version)::text is distinct from matter.text_version
        and matter.about <> 'person' and num_nonnulls(question.id, answer.id, reply.id) = 1 as "isEdited",
      left(coalesce(kept.body, kept.title), 400) as text, accused.id as author_id, ${sealedName('accused.display_name')} as author_name,
      accused_member.role as author_role, coalesce(question.is_anonymous, answer.is_anonymous, reply.is_anonymous, false) as is_anonymous,
      claimer.id as "claimedBy", claimer.display_name as "claimedName", claimer_member.role as "claimedRole"
    from cases as matter ${handledBy(viewer)}
    left join questions as question on question.id = matter.question_id
    left join answers as answer on answer.id = matter.answer_id
    left join replies as reply on reply.id = matter.reply_id
    left join case_snapshots as kept on kept.case_id = matter.id and kept.text_version = matter.text_version
    left join people as claimer on claimer.id = matter.claimed_by and matter.claimed_until > now()
    left join course_members as claimer_member on claimer_member.course_id = matter.course_id and claimer_member.person_id = claimer.id
    where ${IN_VIEW[view](courseId)} and ${beyond} and ${isHandledByPerson}
    order by ${order} limit ${size + 1}`.execute(db)
  return pageOf(rows, size, request)
}

/** How many cases of a queue wait, to be decided or for the answer to an objection: MAX_COUNTED at most. */
export async function countCases(
  db: Database,
  { viewer, courseId }: Omit<QueueFilter, 'view'>,
): Promise<Readonly<Record<Exclude<CaseView, 'decided'>, number>>> {
  const counted = (view: Exclude<CaseView, 'decided'>) => sql`(select count(*) from (
    select from cases as matter ${handledBy(viewer)} where ${IN_VIEW[view](courseId)} and ${isHandledByPerson}
    limit ${sql.lit(MAX_COUNTED)}) as counted)::integer`
  const { rows } = await sql<{ open: number; objections: number }>`
    select ${counted('open')} as open, ${counted('objections')} as objections`.execute(db)
  return rows[0] ?? { open: 0, objections: 0 }
}
