import { type RawBuilder, sql } from 'kysely'
import type { CaseAbout, CaseState, Database, ReportReason, Write } from '../../database/schema.ts'
import { enqueue } from '../../jobs/table.ts'
import { idOf, OPERATOR, personOf } from '../../kernel/actor.ts'
import { choice, plain, text } from '../../kernel/fields.ts'
import { type Doing, forum, operation } from '../../kernel/operation.ts'
import { forbidden, notFound, Problem, refusal } from '../../kernel/problem.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { readableTo } from '../../kernel/rights/visibility.ts'
import { objectUntil, questionOfMatter } from '../handling/in-force.ts'
import { handOver } from './claims.ts'
import { CaseChanged } from './decision.ts'
import { hasOtherHandler } from './endings.ts'
import { caseSubject, lockCase, mustHandle, noted } from './find.ts'
import { LETTERS_OF_CASES, letterKey } from './letters.ts'
import { note } from './reasons.ts'
import { reopenFor } from './report.ts'
import { notifyHandlers, notifyOfCase } from './told.ts'

/** How somebody finds their own report: by its number, signed in, or by the link in an email to a visitor. */
export type OwnReport = { readonly id: number } | { readonly token: string }

/** A condition on the table or alias `reports`. */
const isIt = (which: OwnReport, viewerId: number | null) =>
  'token' in which
    ? sql<boolean>`reports.mail_token = ${which.token}`
    : sql<boolean>`(reports.id = ${which.id} and reports.person_id = ${viewerId}::bigint)`

/** Objections to the decision of the case of `reports` by the same reporter, whichever of their reports of it names them. */
const OWN_OBJECTION = sql`
  select objections.note, objections.made_at, objections.outcome, objections.answer, objections.answered_at
  from objections join reports as mine on mine.id = objections.report_id
  where mine.case_id = reports.case_id and (mine.id = reports.id or mine.person_id = reports.person_id
    or mine.visitor_email = reports.visitor_email) limit 1`

/** What somebody reported, and what became of it; nothing of whom it is about, or of other reports. @throws Problem 'notFound' */
export async function findOwnReport(db: Database | Write, which: OwnReport, viewer: Actor | null) {
  const { rows } = await sql<{
    id: number
    caseId: number
    reason: ReportReason
    note: string
    reportedAt: Date
    about: CaseAbout
    state: CaseState
    reporterNote: string
    timeZone: string | null
    /** null: it waits for a decision. */
    objectUntil: Date | null
    isInTime: boolean
    /** The question that the post belongs to; null: they can't read it, or it is about a profile. */
    question: { readonly id: number; readonly title: string } | null
    objection: string | null
    objectedAt: Date | null
    outcome: 'keep' | 'lift' | null
    answer: string | null
    answeredAt: Date | null
  }>`
    select reports.id, reports.case_id as "caseId", reports.reason, reports.note, reports.reported_at as "reportedAt",
      matter.about, matter.state, matter.reporter_note as "reporterNote", place.time_zone as "timeZone",
      ${objectUntil(sql`matter.decided_at`)} as "objectUntil",
      coalesce(now() <= ${objectUntil(sql`matter.decided_at`)}, false) as "isInTime", asked.question,
      said.note as objection, said.made_at as "objectedAt", said.outcome, said.answer, said.answered_at as "answeredAt"
    from reports join cases as matter on matter.id = reports.case_id
    left join courses as place on place.id = matter.course_id
    left join lateral (
      select jsonb_build_object('id', q.id, 'title', q.title) as question
      from questions as q join courses as course on course.id = q.course_id
      where q.id = ${questionOfMatter} and q.is_shown and ${readableTo(viewer)}) as asked on true
    left join lateral (${OWN_OBJECTION}) as said on true
    where ${isIt(which, viewer?.id ?? null)}`.execute(db)
  const [found] = rows
  if (found === undefined) throw notFound()
  return found
}

const said = text({ min: 1, max: 5000, short: 'standing.object.empty' })

/** Objects to what became of one's report, once for each case. */
export const outcomeObjection = operation({
  name: 'object-to-outcome',
  right: 'have-account',
  find: forum,
  limit: 'reporting',
  isForSuspended: true,
  input: { report: plain, note: said },
  run: (doing) => objectTo(doing, { id: Number(doing.input.report) }),
})

/** The same by the link in an email to a visitor. */
export const visitorsObjection = operation({
  name: 'object-by-mail',
  right: 'visit',
  find: forum,
  limit: 'reporting',
  isForSuspended: true,
  input: { token: plain, note: said },
  run: (doing) => objectTo(doing, { token: doing.input.token }),
})

async function objectTo(
  { write, actor, input }: Pick<Doing<{ readonly note: string }, null>, 'write' | 'actor' | 'input'>,
  which: OwnReport,
) {
  await lockCase(write, await caseOfReport(write, isIt(which, idOf(actor))))
  const viewer = actor === OPERATOR ? null : actor
  const { id, caseId, objectUntil: until, isInTime, objection } = await findOwnReport(write, which, viewer)
  if (objection !== null) return { isDone: false }
  if (until === null) throw refusal('note', 'myReport.open')
  if (!isInTime) throw refusal('note', 'standing.object.late')
  await write.insertInto('objections').values({ report_id: id, note: input.note }).execute()
  await notifyHandlers(write, [caseId], 'objection', idOf(actor))
  return { isDone: true }
}

/** @param which a condition on `reports` @throws Problem 'notFound' */
export async function caseOfReport(db: Database | Write, which: RawBuilder<boolean>): Promise<number> {
  const report = db.selectFrom('reports').select('case_id').where(which)
  return (await report.executeTakeFirstOrThrow(() => notFound())).case_id
}

/** Locks the case of a report. @throws Problem 'notFound' */
async function reportSubject(write: Write, reportId: number) {
  const { case_id: caseId, person_id: reporterId } = await write
    .selectFrom('reports')
    .select(['case_id', 'person_id'])
    .where('id', '=', reportId)
    .executeTakeFirstOrThrow(() => notFound())
  return { ...(await caseSubject(write, caseId)), reportId, reporterId }
}

/**
 * Answers who objects to the outcome of a report. `keep`: the decision stays. `lift`: what they reported waits in a case again, whose
 * outcome they are told. Nothing else changes by itself, and its author isn't told.
 */
export const outcomeObjectionAnswer = operation({
  name: 'answer-reporter',
  right: 'moderate',
  find: reportSubject,
  once: true,
  input: { value: choice(['keep', 'lift']), note: note() },
  rules: [mustHandle, mustBeAnother],
  events: ['moderated'],
  async run({ write, actor, subject, input: { value, note: answer }, note: log }) {
    const { id, reportId, reporterId } = subject
    const answered = await write
      .updateTable('objections')
      .set({ outcome: value, answer, answered_at: sql`now()`, answered_by: personOf(actor).id })
      .where('report_id', '=', reportId)
      .where('answered_at', 'is', null)
      .executeTakeFirst()
    if (answered.numUpdatedRows === 0n) throw new CaseChanged()
    if (value === 'lift' && !(await reopenFor(write, reportId, personOf(actor).id)))
      throw refusal('note', 'objections.gone')
    if (reporterId !== null) await notifyOfCase(write, id, 'report', [reporterId])
    await enqueue(write, LETTERS_OF_CASES, letterKey('reply', reportId))
    log('moderated', { act: `objection-${value}`, ...noted(subject) })
    return { id }
  },
})

/** Keeps whoever decided from judging the objection to it where someone else can, and whoever objects in any case. */
async function mustBeAnother({
  write,
  actor,
  subject: { id, decided_by: decidedBy, reporterId },
}: Doing<unknown, Awaited<ReturnType<typeof reportSubject>>>): Promise<void> {
  const { id: personId } = personOf(actor)
  if (personId === reporterId) throw forbidden()
  if (personId === decidedBy && (await hasOtherHandler(write, id, decidedBy)))
    throw new Problem('ownDecision')
}

/** Leaves such an objection to the admins. */
export const outcomeObjectionHandover = operation({
  name: 'hand-over-reporter',
  right: 'moderate',
  find: reportSubject,
  once: true,
  input: {},
  rules: [mustHandle],
  events: ['moderated'],
  async run({ write, actor, subject, note: log }) {
    const { id, reportId, course_slug: course } = subject
    const waiting = await write
      .selectFrom('objections')
      .select('id')
      .where('report_id', '=', reportId)
      .where('answered_at', 'is', null)
      .executeTakeFirst()
    const handover = { isToAdmins: true, note: '', of: 'objection' } as const
    if (waiting === undefined || !(await handOver(write, personOf(actor).id, id, handover)))
      throw new CaseChanged()
    log('moderated', { act: 'to-admins', ...noted(subject) })
    return { id, course }
  },
})

/** The objections of reporters to the decision of a case, oldest first. */
export async function reporterObjections(db: Database, caseId: number) {
  const { rows } = await sql<{
    reportId: number
    personId: number | null
    name: string | null
    isByVisitor: boolean
    visitorName: string
    note: string
    at: Date
    outcome: 'keep' | 'lift' | null
    answer: string
  }>`
    select reports.id as "reportId", reports.person_id as "personId", person.display_name as name, reports.is_by_visitor as "isByVisitor",
      reports.visitor_name as "visitorName", objections.note, objections.made_at as at, objections.outcome, objections.answer
    from reports join objections on objections.report_id = reports.id
    left join people as person on person.id = reports.person_id
    where reports.case_id = ${caseId} order by objections.made_at, reports.id`.execute(db)
  return rows
}
