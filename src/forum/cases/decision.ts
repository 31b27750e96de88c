import { sql } from 'kysely'
import { z } from 'zod'
import { MEASURES, type MeasureKind, type ReportReason, type Row, type Write } from '../../database/schema.ts'
import { type Doer, OPERATOR, personOf } from '../../kernel/actor.ts'
import { choice } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { refusal } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { KINDS, ofEveryKind } from '../posts/kinds.ts'
import { releasePost } from '../posts/removal.ts'
import { SIGNALS } from '../posts/text.ts'
import { caseSubject, lockWriter, mustHandle, noted, type SubjectCase } from './find.ts'
import { letterKey, tellAccused } from './letters.ts'
import { type DecidedCase, isTakingAway, type NewMeasure, takeMeasure } from './measures.ts'
import { noteOutcomes } from './outcomes.ts'
import { mustHaveReason, note, rule, type Why } from './reasons.ts'
import { postOfCase } from './subject.ts'
import { notifyOfCase } from './told.ts'

/** Thrown where a case isn't any more as its form had it. */
export class CaseChanged extends Error {}

/** Lengths of a suspension that the form offers, in days. */
export const LENGTHS = ['1', '3', '7', '30', '90', 'for-good'] as const
export const USUAL_LENGTH = '7'
const MAX_DAYS = 3650

/** A number, or its text. */
const numeric = z.union([z.string(), z.number().transform(String)])
const choose = (context: z.RefinementCtx, message = 'forms.choice') => {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}
export const caseDecision = operation({
  name: 'decide-case',
  right: 'moderate',
  find: caseSubject,
  input: {
    decision: choice(['uphold', 'decline']),
    /** The version of the case that the form was made of; 0, which none has, where it says none. */
    version: numeric
      .transform((value, context): number =>
        value === '' || /^[1-9]\d{0,8}$/.test(value) ? Number(value) : choose(context),
      )
      .meta({ type: 'integer', minimum: 1 }),
    /** A list, or their names with spaces between. */
    measure: z
      .union([z.string(), z.array(z.string())])
      .transform((sent, context): MeasureKind[] => {
        const names = (typeof sent === 'string' ? sent.split(' ') : sent).filter((name) => name !== '')
        const known = MEASURES.filter((kind) => names.includes(kind))
        return known.length === new Set(names).size ? known : choose(context, 'cases.form.unknownMeasure')
      })
      .meta({ type: 'array', items: { type: 'string', enum: [...MEASURES] } }),
    /** In days; null: for good. */
    suspend: numeric
      .transform((value, context): number | null => {
        const length = value.trim() || USUAL_LENGTH
        if (length === 'for-good') return null
        return /^[1-9]\d{0,3}$/.test(length) && Number(length) <= MAX_DAYS ? Number(length) : choose(context)
      })
      .meta({ type: ['integer', 'string'], default: Number(USUAL_LENGTH) }),
    everywhere: z
      .union([z.string(), z.boolean()])
      .transform((value) => value === '1' || value === true)
      .meta({ type: 'boolean', default: false }),
    rule: rule(),
    note: note(),
    reporter_note: note(),
    staff_note: note(),
  },
  rules: [mustHandle],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    const { rule, note, reporter_note, staff_note } = input
    const isUpheld = input.decision === 'uphold'
    const measures = isUpheld ? measuresOf(actor, subject, input) : []
    if (isUpheld) await mustHaveReason(write, subject.course_id, { reason: subject.reason, rule, note })
    const said = { ...(isUpheld && { rule, note }), reporter_note, staff_note }
    const decision = { version: input.version, isUpheld, measures, said }
    if (!(await decide(write, personOf(actor).id, subject.id, decision))) throw new CaseChanged()
    log('moderated', { act: input.decision, ...noted(subject) })
    const { course_slug: course, is_for_admins: isForAdmins } = subject
    return { id: subject.id, queueOf: isForAdmins ? null : course }
  },
})

interface SentMeasures {
  readonly measure: readonly MeasureKind[]
  readonly suspend: number | null
  readonly everywhere: boolean
}

/** Reads the selected measures that fit the case. @throws Refused */
function measuresOf(actor: Doer, matter: SubjectCase, sent: SentMeasures): NewMeasure[] {
  if (sent.measure.length === 0) throw refusal('measure', 'cases.form.noMeasure')
  const fitting = measuresFor(matter)
  if (sent.measure.some((kind) => !fitting.includes(kind)))
    throw refusal('measure', 'cases.form.unknownMeasure')
  const isEverywhere = sent.everywhere || matter.course_id === null
  const suspends = sent.measure.includes('suspend')
  if (isEverywhere && suspends && actor !== OPERATOR && !may(actor, 'moderate-forum'))
    throw refusal('everywhere', 'cases.form.notEverywhere')
  return sent.measure.map((kind) => ({
    kind,
    endsAt: kind === 'suspend' && sent.suspend !== null ? inDays(sent.suspend) : null,
    isEverywhere: kind === 'suspend' && isEverywhere,
  }))
}

export const inDays = (days: number) => sql<Date>`now() + ${days} * interval '1 day'`

/** Measures that fit the subject of a case: a person has no text to hide. */
export function measuresFor({ about }: Pick<Row<'cases'>, 'about'>): readonly MeasureKind[] {
  return about === 'person' ? ['reset-name', 'warn', 'suspend'] : MEASURES
}

interface Decision {
  readonly version: number
  readonly isUpheld: boolean
  /** None unless it is upheld. */
  readonly measures: readonly NewMeasure[]
  /** Why, on another ground than the first report's as well; to who reported, and among staff. */
  readonly said?: Partial<Why & Pick<Row<'cases'>, 'reporter_note' | 'staff_note'>>
}

/** Whether the post of a case waits to be let through for what a machine noticed in it. Of the table `cases`. */
const IS_POST_SIGNALLED = sql<boolean>`exists (${ofEveryKind(
  (table) => sql`select from ${sql.table(table)} as post
    where post.id = cases.${sql.ref(KINDS[table].column)} and post.held_for = any(${SIGNALS}::text[])`,
)})`

/**
 * Decides a case, with all its reports, and takes its measures. Of two who decide at once, one does.
 * @returns false when it isn't as the form had it: nothing is done then
 */
export async function decide(write: Write, actorId: number, caseId: number, decision: Decision) {
  const { isUpheld, measures } = decision
  const matter = await write
    .updateTable('cases')
    .set({
      state: isUpheld ? 'upheld' : 'declined',
      decided_at: sql`now()`,
      decided_by: actorId,
      claimed_by: null,
      claimed_until: null,
      is_found_by_machine: IS_POST_SIGNALLED,
      ...decision.said,
      version: sql`version + 1`,
    })
    .where('id', '=', caseId)
    .where('state', '=', 'open')
    .where('version', '=', decision.version)
    .returning(['id', 'question_id', 'answer_id', 'reply_id', 'person_id', 'course_id', 'reason'])
    .executeTakeFirst()
  if (matter === undefined) return false
  if (matter.person_id !== null && measures.some(({ kind }) => kind === 'suspend'))
    await lockWriter(write, matter.person_id)
  for (const measure of measures) await takeMeasure(write, matter, measure, actorId)
  // A held post has been looked at: unless it is taken away, it is let through.
  const post = await postOfCase(write, matter)
  if (post !== null && !measures.some(({ kind }) => isTakingAway(kind)))
    await releasePost(write, post, actorId)
  if (measures.length > 0) await stateReasons(write, matter)
  await notifyReporters(write, caseId, actorId)
  return true
}

/** Staff look at several posts on one ground, whatever the first report of each said. The case has to be locked. */
export async function changeGround(write: Write, caseId: number, reason: ReportReason): Promise<void> {
  await write.updateTable('cases').set({ reason }).where('id', '=', caseId).execute()
}

/** The person learns what was decided, and why: not of spam, as the law has it, though it is on the page of their standing. */
export async function stateReasons(
  write: Write,
  { id, person_id: personId, reason }: DecidedCase & { readonly reason: string },
): Promise<void> {
  if (reason !== 'spam')
    await tellAccused(write, { caseId: id, personId }, 'measure', letterKey('statement', id))
}

/** Each person and each address once. The one who decided knows. */
async function notifyReporters(write: Write, caseId: number, actorId: number): Promise<void> {
  const reports = await write
    .selectFrom('reports')
    .select(['id', 'person_id', 'visitor_email'])
    .where('case_id', '=', caseId)
    .where('person_id', 'is distinct from', actorId)
    .orderBy('id')
    .execute()
  const people = reports.flatMap(({ person_id: id }) => id ?? [])
  await notifyOfCase(write, caseId, 'report', people)
  const latest = new Map(reports.map((report) => [report.person_id ?? report.visitor_email, report.id]))
  latest.delete(null)
  await noteOutcomes(write, [...latest.values()])
}
