import { sql } from 'kysely'
import type { Database, Language, ReportReason, Write } from '../../database/schema.ts'
import { type OpenedCase, openCase } from './open-case.ts'
import { type Subject, type SubjectText, subjectName } from './subject.ts'

/** The checked input of the report form. */
export interface ReportInput {
  readonly reason: ReportReason
  readonly note: string
}

/** The reporter: a person with an account, or a visitor, who may leave a name and an address. */
export type Reporter =
  | { readonly personId: number; readonly language: Language }
  | {
      readonly personId: null
      readonly name: string
      readonly email: string | null
      readonly language: Language
    }

/** 'again': they reported this text before. 'reviewed': staff decided on this very text. */
export type ReportOutcome = 'sent' | 'again' | 'reviewed'

/**
 * Reports a post or a person. Reports of one subject become rows of its open case, whoever opened it.
 * @param text as it stands: what the report is about
 */
export async function report(
  write: Write,
  reporter: Reporter,
  subject: Subject,
  text: SubjectText,
  { reason, note }: ReportInput,
): Promise<{ readonly outcome: ReportOutcome; readonly reportId: number | null }> {
  if (await isReviewed(write, subject, text.textVersion)) return { outcome: 'reviewed', reportId: null }
  const { personId } = reporter
  const opened = await openCase(write, { subject, text, reason, openedBy: null, actorId: personId })
  const inserted = await write
    .insertInto('reports')
    .values({
      case_id: opened.id,
      person_id: personId,
      is_by_visitor: personId === null,
      visitor_name: reporter.personId === null ? reporter.name : '',
      visitor_email: reporter.personId === null ? reporter.email : null,
      language: reporter.language,
      text_version: text.textVersion,
      reason,
      note,
    })
    .onConflict((conflict) => conflict.constraint('reports_once').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined) return { outcome: 'again', reportId: null }
  await write
    .updateTable('cases')
    .set({ reports_count: sql`reports_count + 1` })
    .where('id', '=', opened.id)
    .execute()
  return { outcome: 'sent', reportId: inserted.id }
}

/**
 * Whether a visitor left an address with a report that no other report of its case has: it gets one receipt for each case. Reports
 * of a case come one after the other, as each locks it.
 */
export async function isFirstOfAddress(write: Write, reportId: number): Promise<boolean> {
  const { rows } = await sql`
    select from reports as one where id = ${reportId} and visitor_email is not null and not exists (
      select from reports as other where other.case_id = one.case_id and other.id <> one.id
        and other.visitor_email = one.visitor_email)`.execute(write)
  return rows.length > 0
}

/** Staff take up a post or a person by themselves. */
export async function openByStaff(
  write: Write,
  actorId: number,
  subject: Subject,
  text: SubjectText,
  reason: ReportReason,
): Promise<OpenedCase> {
  return openCase(write, { subject, text, reason, openedBy: actorId, actorId })
}

/** Whether a case about this very text was decided. Uses index cases_of_subject. */
export async function isReviewed(
  write: Database | Write,
  subject: Subject,
  textVersion: string,
): Promise<boolean> {
  const decided = await write
    .selectFrom('cases')
    .select('id')
    .where('subject', '=', subjectName(subject))
    .where('state', '<>', 'open')
    .where('text_version', '=', textVersion)
    .limit(1)
    .executeTakeFirst()
  return decided !== undefined
}
