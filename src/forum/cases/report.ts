import { sql } from 'kysely'
import type { Database, Language, Row, Write } from '../../database/schema.ts'
import { forbidden, gone, notFound } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { personPath } from '../../web/paths.ts'
import { findMet } from '../authors/met.ts'
import { FIND, questionOf } from '../posts/find.ts'
import { KINDS, TABLES } from '../posts/kinds.ts'
import { openCase } from './open-case.ts'
import { findSubjectText, postKeyOf, type Subject, type SubjectText, subjectName } from './subject.ts'

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
  { reason, note }: Pick<Row<'reports'>, 'reason' | 'note'>,
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

/** Whether a case about this very text was decided. Uses index cases_of_subject. */
export async function isReviewed(write: Database | Write, subject: Subject, textVersion: string) {
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

export type Reportable = Awaited<ReturnType<typeof findReportable>>

/** Finds what is to be reported. @throws Problem when the viewer can't read it, when it is their own, or was deleted over a day ago */
export async function findReportable(
  db: Database,
  viewer: Actor | null,
  subject: Subject,
  act: 'report' | 'open-case' = 'report',
) {
  const shown = await findShown(db, viewer, subject, act)
  const text = await textOf(db, subject)
  return { ...text, author_id: text.personId, author_role: text.role, ...shown }
}

/** `isDeleted`: its text is shown to nobody any more; a report of it is still taken. */
async function findShown(
  db: Database,
  viewer: Actor | null,
  { about, id }: Subject,
  act: 'report' | 'open-case',
) {
  if (about !== 'person') {
    const post = await FIND[TABLES[about]](db, viewer, id, act)
    const path = KINDS[TABLES[about]].path(questionOf(post), id)
    return { path, title: post.title, isDeleted: post.isDeleted }
  }
  if (act === 'open-case') requireRight(viewer, 'moderate-forum', null)
  const person = await findMet(db, viewer, id)
  if (person === null) throw notFound()
  const { displayName } = person
  return { path: personPath({ id, displayName }), title: displayName, isDeleted: false }
}

/**
 * Reads the number of the person whom a form is about.
 * @throws Problem 'forbidden' when they are the viewer, 'notFound' when the viewer may not meet them
 */
export async function otherPerson(write: Write, viewer: Actor | null, typed: string): Promise<Subject> {
  const id = Number(typed)
  if (viewer?.id === id) throw forbidden()
  if ((await findMet(write, viewer, id)) === null) throw notFound()
  return { about: 'person', id }
}

/** How long after a post was deleted a report of it is still taken: whoever read it may be faster in deleting it. */
const DELETED_SINCE = sql`now() - interval '1 day'`

/** The text of a subject that can still be reported. @throws Problem 410 when it is gone, or was deleted over a day ago */
export async function textOf(db: Database | Write, subject: Subject): Promise<SubjectText> {
  const text = await findSubjectText(db, subject)
  const post = postKeyOf(subject)
  if (text === null) throw gone()
  if (post === null) return text
  const late = await db
    .selectFrom(post.table)
    .select('id')
    .where('id', '=', post.id)
    .where('deleted_at', '<', sql<Date>`${DELETED_SINCE}`)
    .executeTakeFirst()
  if (late !== undefined) throw gone()
  return text
}
