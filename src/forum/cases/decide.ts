import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { enqueue, enqueueEach } from '../../jobs/table.ts'
import { lockWriter } from './case-subject.ts'
import { LETTERS_OF_CASES, letterKey } from './letters.ts'
import { type DecidedCase, type NewMeasure, takeMeasure } from './measures.ts'
import { notifyOfCase } from './told.ts'

/** Thrown where a case isn't any more as its form had it. */
export class CaseChanged extends Error {}

export interface Decision {
  readonly version: number
  readonly isUpheld: boolean
  /** None unless it is upheld. */
  readonly measures: readonly NewMeasure[]
  readonly rule: string
  /** To the author, to who reported, and among staff. */
  readonly note: string
  readonly reporterNote: string
  readonly staffNote: string
}

/**
 * Decides a case, with all its reports, and takes its measures. Of two who decide at once, one does.
 * @returns false when it isn't as the form had it: nothing is done then
 */
export async function decide(write: Write, actorId: number, caseId: number, decision: Decision) {
  const { isUpheld, rule, note, reporterNote, staffNote } = decision
  const matter = await write
    .updateTable('cases')
    .set({
      state: isUpheld ? 'upheld' : 'declined',
      decided_at: sql`now()`,
      decided_by: actorId,
      claimed_by: null,
      claimed_until: null,
      rule: isUpheld ? rule : '',
      note: isUpheld ? note : '',
      reporter_note: reporterNote,
      staff_note: staffNote,
      version: sql`version + 1`,
    })
    .where('id', '=', caseId)
    .where('state', '=', 'open')
    .where('version', '=', decision.version)
    .returning(['id', 'question_id', 'answer_id', 'reply_id', 'person_id', 'course_id', 'reason'])
    .executeTakeFirst()
  if (matter === undefined) return false
  const measures = isUpheld ? decision.measures : []
  if (matter.person_id !== null && measures.some(({ kind }) => kind === 'suspend'))
    await lockWriter(write, matter.person_id)
  for (const measure of measures) await takeMeasure(write, matter, measure, actorId)
  if (isUpheld) await stateReasons(write, matter)
  await notifyReporters(write, caseId, actorId)
  return true
}

/** The person learns what was decided, and why: not of spam, as the law has it, though it is on the page of their standing. */
export async function stateReasons(
  write: Write,
  { id, person_id: personId, reason }: DecidedCase & { readonly reason: string },
): Promise<void> {
  if (personId === null || reason === 'spam') return
  await notifyOfCase(write, id, 'measure', [personId])
  await enqueue(write, LETTERS_OF_CASES, letterKey('statement', id))
}

/** Each person and each address once. The one who decided knows. */
async function notifyReporters(write: Write, caseId: number, actorId: number): Promise<void> {
  const reports = await write
    .selectFrom('reports')
    .select(['id', 'person_id', 'visitor_email'])
    .where('case_id', '=', caseId)
    .orderBy('id')
    .execute()
  const people = reports.flatMap(({ person_id: id }) => (id === null || id === actorId ? [] : [id]))
  await notifyOfCase(write, caseId, 'report', people)
  const told = reports.filter(
    ({ person_id: id, visitor_email: email }) => (id ?? email) !== null && id !== actorId,
  )
  const latest = new Map(
    told.map(({ id, person_id: personId, visitor_email: email }) => [personId ?? email, id]),
  )
  await enqueueEach(
    write,
    LETTERS_OF_CASES,
    [...latest.values()].map((id) => letterKey('outcome', id)),
  )
}
