import { sql } from 'kysely'
import type { Database, MeasureKind, ReportReason, Write } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { rowsOf } from '../../testing/rows.ts'
import { decide, inDays } from './decision.ts'
import { caseLettersKind } from './letters.ts'
import { report } from './report.ts'
import { type Subject, subjectName } from './subject.ts'

export const inWrite = <Result>(db: Database, act: (write: Write) => Promise<Result>) =>
  db.transaction().execute(act)

/** Begins a transaction that has done something, and commits it when it is told to. */
export async function begun(db: Database, act: (write: Write) => Promise<unknown>) {
  const [isDone, maycommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = db.transaction().execute(async (write) => {
    await act(write)
    isDone.resolve()
    await maycommit.promise
  })
  await Promise.race([isDone.promise, ended])
  return async () => {
    maycommit.resolve()
    await ended
  }
}

/** Reports something in a test. @param personId null: a visitor */
export async function reported(
  db: Database,
  subject: Subject,
  personId: number | null,
  {
    reason = 'rude',
    note = '',
    email = null,
  }: { reason?: ReportReason; note?: string; email?: string | null } = {},
) {
  const sent = { reason, note, name: '', email, language: 'en' } as const
  return inWrite(db, async (write) => (await report(write, personId, subject, sent)).outcome)
}

/** The latest case of a subject. */
export async function caseOf(db: Database, subject: Subject) {
  return db
    .selectFrom('cases')
    .selectAll()
    .where('subject', '=', subjectName(subject))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
}

type Texts = Partial<Record<'rule' | 'note' | 'reporterNote' | 'staffNote', string>>

/** Decides a case in a test; no measures: declines it. */
export async function decided(
  db: Database,
  actorId: number,
  matter: { readonly id: number; readonly version: number },
  kinds: readonly MeasureKind[],
  more: Texts & { readonly days?: number | null; readonly isEverywhere?: boolean } = {},
): Promise<boolean> {
  const { days = null, isEverywhere = false, reporterNote, staffNote, ...texts } = more
  const measures = kinds.map((kind) => ({
    kind,
    endsAt: kind === 'suspend' && days !== null ? inDays(days) : null,
    isEverywhere: kind === 'suspend' && isEverywhere,
  }))
  const said = {
    ...(kinds.length > 0 && texts),
    reporter_note: reporterNote ?? '',
    staff_note: staffNote ?? '',
  }
  const decision = { version: matter.version, isUpheld: kinds.length > 0, measures, said }
  return inWrite(db, (write) => decide(write, actorId, matter.id, decision))
}

/** The measures of a case, in their order. */
export const measuresOf = (db: Database, caseId: number) => rowsOf(db, 'measures', { case_id: caseId })

/** Why somebody was told of cases, or of one. */
export async function toldOf(db: Database, { id }: { readonly id: number }, caseId?: number) {
  const told = await rowsOf(db, 'notifications', { person_id: id, ...(caseId && { case_id: caseId }) })
  return told.flatMap((one) => (one.case_id === null ? [] : [one.reason]))
}

export const LETTERS = { baseUrl: 'https://forum.example', timeZone: 'UTC' }

/** As if the morning had come in which reporters get an email about the day before. */
export async function untilMorning(db: Database): Promise<void> {
  const now = sql<Date>`now()`
  await db.updateTable('reports').set({ outcome_due_at: now }).where('outcome_due_at', '>', now).execute()
}

/** Writes the letters that are due, and those of the next morning. @returns how many jobs that were */
export async function writeLetters(db: Database): Promise<number> {
  await untilMorning(db)
  return doJobs(db, caseLettersKind(db, LETTERS))
}

/** The letters to somebody so far, after those that are due. */
export async function lettersTo(db: Database, { email }: { readonly email: string }) {
  await writeLetters(db)
  return rowsOf(db, 'mails', { recipient: email })
}
