import { type Nullable, type RawBuilder, sql } from 'kysely'
import type { CountedTable } from '../../database/counted-tables.ts'
import type { Database, Role, Row, Write } from '../../database/schema.ts'
import { actor, author, subject, table, unmissed } from '../../database/table.ts'
import { OPERATOR } from '../../kernel/actor.ts'
import type { Doing } from '../../kernel/operation.ts'
import { ownPart } from '../../kernel/own-data.ts'
import { forbidden, notFound } from '../../kernel/problem.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { readableTo } from '../../kernel/rights/visibility.ts'
import { type SealedName, sealedName } from '../authors/sealed-name.ts'
import { hasHandlerInCourse, mayHandle } from '../handling/handlers.ts'
import { isPastRestoring, isRemoval, objectUntil, questionOfMatter } from '../handling/in-force.ts'

const staff = unmissed(actor)
export const caseTables = [
  table('cases', { person_id: subject, opened_by: staff, claimed_by: staff, decided_by: staff }),
  table('case_handovers', { handed_by: staff }),
  table('case_snapshots', { redacted_by: staff }, { key: ['case_id', 'text_version'] }),
  table('measures', { person_id: subject, made_by: staff, ended_by: staff }),
  table('objections', { answered_by: staff }),
  table('reports', { person_id: author }),
]

/**
 * A case with the person it is about, and who says that they handle it; null: nobody, or the account is gone.
 */
export interface CaseRow extends Row<'cases'> {
  readonly author_name: SealedName | null
  readonly author_role: Role | null
  readonly author_left: boolean
  readonly is_anonymous: boolean
  readonly claimer_name: string | null
  readonly claimer_role: Role | null
}

/** The person whom a case is about, as the author of its post; null: the account is gone. */
export function accusedOf({ person_id: id, author_name: name, author_left: hasLeft, ...row }: CaseRow) {
  return id === null || name === null || hasLeft ? null : { ...row, author_id: id, author_name: name }
}

export interface FoundCase extends CaseRow {
  readonly author_is_admin: boolean
  readonly joined_at: Date | null
  readonly decider_name: string | null
  readonly opener_name: string | null
  readonly course_slug: string | null
  readonly has_handler_in_course: boolean
}

/**
 * Finds a case for somebody who may handle it.
 * @throws Problem 'forbidden' for staff who owe a second factor, 'notFound' for everybody else: it is not
 * there for them
 */
export async function findCase(db: Database | Write, viewer: Actor | null, id: number): Promise<FoundCase> {
  const matter = await selectCase(db, id)
  if (matter === null) throw notFound()
  if (mayHandle(viewer, matter)) return matter
  const trusted = viewer?.owesSecondFactor === true ? { ...viewer, owesSecondFactor: false } : null
  throw mayHandle(trusted, matter) ? forbidden() : notFound()
}

export async function selectCase(db: Database | Write, id: number): Promise<FoundCase | null> {
  const { rows } = await sql<FoundCase>`
    select matter.*, ${sealedName('author.display_name')} as author_name, member.role as author_role,
      coalesce(author.is_admin, false) as author_is_admin, author.left_at is not null or author.id is null as author_left,
      coalesce((select is_anonymous from questions where id = matter.question_id), (select is_anonymous from answers where id = matter.answer_id),
        (select is_anonymous from replies where id = matter.reply_id), false) as is_anonymous,
      author.joined_at, claimer.display_name as claimer_name, claimer_member.role as claimer_role,
      decider.display_name as decider_name, opener.display_name as opener_name, course.slug as course_slug,
      ${hasHandlerInCourse} as has_handler_in_course
    from cases as matter
    left join courses as course on course.id = matter.course_id
    left join people as author on author.id = matter.person_id
    left join course_members as member on member.course_id = matter.course_id and member.person_id = matter.person_id
    left join people as claimer on claimer.id = matter.claimed_by and matter.claimed_until > now()
    left join course_members as claimer_member on claimer_member.course_id = matter.course_id and claimer_member.person_id = claimer.id
    left join people as decider on decider.id = matter.decided_by
    left join people as opener on opener.id = matter.opened_by
    where matter.id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** A case that operations are done to, as a place of its course; those of the forum are nobody's but the admins'. */
export type SubjectCase = Awaited<ReturnType<typeof caseSubject>>
export type SubjectMeasure = Awaited<ReturnType<typeof measureSubject>>

/** No course has it: what is of none is open to admins alone. */
export const NO_COURSE = 0

/** Locks a case, and the question that it is about. @throws Problem 'notFound' */
export async function caseSubject(write: Write, id: number) {
  await lockCase(write, id)
  const matter = await selectCase(write, id)
  if (matter === null) throw notFound()
  const courseId = matter.course_id ?? NO_COURSE
  return { ...matter, courseId, isPublic: false, isOpen: false, isArchived: false }
}

/**
 * Locks the case of a measure. `isPastRestoring`: all posts of an account were deleted, too long ago for staff to restore them.
 * @throws Problem 'notFound'
 */
export async function measureSubject(write: Write, measureId: number) {
  const measure = await write
    .selectFrom('measures as measure')
    .innerJoin('cases as matter', 'matter.id', 'measure.case_id')
    .select(['case_id', 'kind', 'is_everywhere as isEverywhere', 'made_by as madeBy'])
    .select(sql<boolean>`${isRemoval} and ${isPastRestoring}`.as('isPastRestoring'))
    .where('measure.id', '=', measureId)
    .executeTakeFirstOrThrow(() => notFound())
  return { ...(await caseSubject(write, measure.case_id)), ...measure, measureId }
}

/** The log fields of a case: those of admins are in no course's log. */
export function noted({ id, course_id: courseId, is_for_admins: isForAdmins }: FoundCase) {
  return { caseId: id, courseId: isForAdmins ? null : courseId }
}

/** A case isn't there for whoever may not handle it. */
export function mustHandle({ actor, subject }: Pick<Doing<unknown, SubjectCase>, 'actor' | 'subject'>): void {
  if (actor !== OPERATOR && !mayHandle(actor, subject)) throw notFound()
}

/**
 * Locks a case, and before it the question that its post belongs to: as posting and reporting do, which lock
 * the question first. Rows that refer to the case can still be added.
 */
export async function lockCase(write: Write, id: number): Promise<void> {
  await sql`
    select from questions where id = (select ${questionOfMatter} from cases as matter where matter.id = ${id})
    for no key update`.execute(write)
  await write.selectFrom('cases').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/**
 * Waits for what somebody is posting, and keeps them from posting more until the transaction ends: what they write from then on knows
 * that they are suspended. readActor holds the other side of this lock.
 * @returns false: somebody else has it, and it didn't wait
 */
export async function lockWriter(write: Write, personId: number, waits = true): Promise<boolean> {
  const { rows } = await sql`
    select from people where id = ${personId} for update ${waits ? sql`` : sql`skip locked`}`.execute(write)
  return rows.length > 0
}

type CaseColumn =
  | 'about'
  | 'is_found_by_machine'
  | 'is_reported'
  | 'reason'
  | 'rule'
  | 'note'
  | 'question_id'
  | 'answer_id'
  | 'reply_id'

/** A measure with its case, and the objection to it; all null: there is none. */
export interface MeasureRow
  extends Row<'measures'>,
    Pick<Row<'cases'>, CaseColumn>,
    Nullable<Pick<Row<'objections'>, 'outcome' | 'answer' | 'answered_at'>> {
  readonly maker_name: string | null
  /** Until when the person can object. */
  readonly object_until: Date
  readonly objected_note: string | null
  readonly objected_at: Date | null
  /** The title of the post's question; null: deleted, not for that reader, or nobody asked for it. */
  readonly question_title: string | null
  readonly course_title: string | null
  readonly time_zone: string | null
}

async function selectMeasures(db: Database, which: RawBuilder<unknown>, title: RawBuilder<unknown>) {
  const { rows } = await sql<MeasureRow>`
    select measures.*, ${objectUntil(sql`measures.starts_at`)} as object_until,
      maker.display_name as maker_name, objections.note as objected_note, objections.made_at as objected_at,
      objections.outcome, objections.answer, objections.answered_at, matter.about, matter.is_reported, matter.is_found_by_machine,
      matter.reason, matter.rule, matter.note, matter.question_id, matter.answer_id, matter.reply_id, ${title} as question_title, course.title as course_title, course.time_zone
    from measures join cases as matter on matter.id = measures.case_id
    left join objections on objections.measure_id = measures.id
    left join people as maker on maker.id = measures.made_by
    left join courses as course on course.id = matter.course_id
    where ${which}`.execute(db)
  return rows
}

export const measuresOfCase = (db: Database, caseId: number) =>
  selectMeasures(db, sql`measures.case_id = ${caseId} order by measures.id`, sql`null`)

/** The title of the question that the post of case `matter` belongs to, if a reader may read it. */
const titleFor = (reader: Actor) => sql`(
  select q.title from questions as q join courses as course on course.id = q.course_id
  where q.id = ${questionOfMatter}
    and ((q.deleted_at is null and ${readableTo(reader)}) or (q.id = matter.question_id and q.author_id = ${reader.id} and q.purged_at is null)))`

const MAX_MEASURES = 200

/**
 * The measures about a person, latest first.
 * @param courseId of that course and everywhere alone; null: of all
 * @param reader who is shown the titles of the posts' questions, as far as they may read these; null: titles aren't read
 */
export function measuresOfPerson(
  db: Database,
  personId: number,
  courseId: number | null,
  reader: Actor | null,
) {
  const which = sql`measures.person_id = ${personId}
    and (${courseId}::bigint is null or matter.course_id = ${courseId}::bigint or measures.is_everywhere)
    order by measures.starts_at desc, measures.id desc limit ${MAX_MEASURES}`
  return selectMeasures(db, which, reader === null ? sql`null` : titleFor(reader))
}

/** Finds the case that a measure belongs to. @throws Problem 'notFound' */
export async function caseOfMeasure(db: Database, measureId: number): Promise<number> {
  const measure = db.selectFrom('measures').select('case_id').where('id', '=', measureId)
  return (await measure.executeTakeFirstOrThrow(() => notFound())).case_id
}

/** How often cases about a person were upheld and declined, and what they objected to: in a course, or (null) in all. */
export async function recordOf(db: Database, personId: number, courseId: number | null) {
  const inScope = sql`matter.person_id = ${personId} and (${courseId}::bigint is null or matter.course_id = ${courseId}::bigint)`
  const { rows } = await sql<{ upheld: number; declined: number; measures: number; objections: number }>`
    select (select count(*) from cases as matter where ${inScope} and matter.state = 'upheld')::integer as upheld,
      (select count(*) from cases as matter where ${inScope} and matter.state = 'declined')::integer as declined,
      (select count(*) from measures join cases as matter on matter.id = measures.case_id where ${inScope})::integer as measures,
      (select count(*) from measures join cases as matter on matter.id = measures.case_id
        join objections on objections.measure_id = measures.id where ${inScope})::integer as objections`.execute(
    db,
  )
  return rows[0] ?? { upheld: 0, declined: 0, measures: 0, objections: 0 }
}

export const reportsOfCase = (db: Database, caseId: number) =>
  db
    .selectFrom('reports')
    .leftJoin('people', 'people.id', 'reports.person_id')
    .select(['reports.person_id', 'reports.is_by_visitor', 'reports.visitor_name', 'people.display_name'])
    .select(['reports.reason', 'reports.note', 'reports.reported_at', 'reports.text_version'])
    .where('case_id', '=', caseId)
    .orderBy('reports.id')
    .limit(MAX_MEASURES)
    .execute()

export const snapshotsOf = (db: Database, caseId: number) =>
  db
    .selectFrom('case_snapshots')
    .selectAll()
    .where('case_id', '=', caseId)
    .orderBy('taken_at')
    .orderBy('text_version')
    .execute()

export const handoversOf = (db: Database, caseId: number) =>
  db
    .selectFrom('case_handovers')
    .leftJoin('people', 'people.id', 'case_handovers.handed_by')
    .selectAll('case_handovers')
    .select('people.display_name')
    .where('case_id', '=', caseId)
    .orderBy('case_handovers.id')
    .execute()

export const ownCases = [
  ownPart('reports', (db, { id: personId }) =>
    db
      .selectFrom('reports')
      .innerJoin('cases', 'cases.id', 'reports.case_id')
      .select([
        'cases.subject as about',
        'reports.reason',
        'reports.note',
        'reports.reported_at as reportedAt',
      ])
      .select('cases.state as outcome')
      .where('reports.person_id', '=', personId)
      .orderBy('reports.id')
      .execute(),
  ),
  ownPart('decisions', async (db, { id: personId }) => {
    const { rows } = await sql<Record<string, unknown>>`
      select matter.subject as about, measures.kind, measures.is_everywhere as "isEverywhere", course.title as course, matter.rule,
        matter.note as reason, matter.is_reported as "wasReported", matter.is_found_by_machine as "wasFoundByMachine",
        measures.starts_at as "startsAt", measures.ends_at as "endsAt",
        measures.ended_at as "endedAt", measures.ended_how as "endedHow", measures.end_note as "endNote",
        objections.note as objection, objections.outcome as "objectionOutcome", objections.answer as "objectionAnswer"
      from measures join cases as matter on matter.id = measures.case_id
      left join courses as course on course.id = matter.course_id
      left join objections on objections.measure_id = measures.id
      where measures.person_id = ${personId} order by measures.id`.execute(db)
    return rows
  }),
]

export const caseCounts: CountedTable = {
  table: 'cases',
  key: ['id'],
  joins: () => sql`
    left join (select case_id, count(*)::integer as number from reports group by case_id)
      as reported on reported.case_id = kept.id`,
  compared: (only) => only('questions', 'kept.question_id'),
  counters: { reports_count: sql`coalesce(reported.number, 0)` },
}
