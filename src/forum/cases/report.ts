import { sql } from 'kysely'
import { email } from '../../accounts/identity/fields.ts'
import {
  type Database,
  type NewRow,
  REPORT_REASONS,
  type ReportReason,
  type Row,
  type Write,
} from '../../database/schema.ts'
import { enqueue } from '../../jobs/table.ts'
import { idOf, OPERATOR, personOf } from '../../kernel/actor.ts'
import { choice, line, optional, text } from '../../kernel/fields.ts'
import { type Doing, operation } from '../../kernel/operation.ts'
import { forbidden, gone, notFound, refusal } from '../../kernel/problem.ts'
import { LANGUAGES } from '../../messages/language.ts'
import { excerpt } from '../../text/plain.ts'
import { findMet } from '../authors/met.ts'
import { hasHandlerInCourse, mayHandle } from '../handling/handlers.ts'
import { questionOf } from '../posts/find.ts'
import { KINDS, TABLES } from '../posts/kinds.ts'
import { SUBJECTS } from '../posts/lock.ts'
import { decide } from './decision.ts'
import { noted, selectCase } from './find.ts'
import { holdReported, markOf } from './held-by-reports.ts'
import { LETTERS_OF_CASES, letterKey } from './letters.ts'
import type { Why } from './reasons.ts'
import { findSubject, postKeyOf, type Subject, type SubjectText, subjectName, subjectOf } from './subject.ts'
import { notifyHandlers } from './told.ts'

const ground = choice(REPORT_REASONS, 'reports.form.noReason')

/** Reports a post to the staff of its course, or a profile to the admins. */
export const reporting = operation({
  name: 'report',
  right: 'report',
  rightOnProfile: 'visit',
  find: reportable,
  limit: 'reporting',
  once: true,
  input: {
    reason: ground,
    note: text({ min: 0, max: 2000 }),
    /** Only for visitors. */
    name: line({ min: 0, max: 50 }),
    email: optional(email()),
    /** The language of the page, for letters to a visitor. */
    language: choice(LANGUAGES),
  },
  rules: [mustBeMet],
  events: ['post-held'],
  async run(doing) {
    const { write, actor, subject, input, careful } = doing
    if (input.reason === 'other' && input.note === '') throw refusal('note', 'reports.form.noteMissing')
    const personId = idOf(actor)
    const contact = personId === null ? {} : { name: '', email: null }
    const { reported, about } = subject
    const sent = { ...input, ...contact, network: careful?.network ?? null }
    const { outcome, reportId } = await report(write, personId, reported, sent)
    if (reportId !== null && (await isFirstOfAddress(write, reportId)))
      await enqueue(write, LETTERS_OF_CASES, letterKey('receipt', reportId))
    const isOfPost = reportId !== null && about !== null
    const heldIn = isOfPost ? await holdReported({ ...doing, subject }, reported, reportId) : null
    return { outcome, question: about, heldIn }
  },
})

/** Staff take something up that nobody reported: a post of their course, or as admins a profile. */
export const opening = operation({
  name: 'open-case',
  right: 'open-case',
  rightOnProfile: 'moderate-forum',
  find: reportable,
  once: true,
  input: { reason: ground },
  rules: [mustBeMet],
  events: ['moderated'],
  async run({ write, actor, subject, input, note }) {
    const by = { actorId: personOf(actor).id, isReport: false }
    const { id, isNew } = await openCase(write, subject.reported, input.reason, by)
    const matter = await selectCase(write, id)
    if (matter === null) throw notFound()
    if (isNew) note('moderated', { act: 'open', ...noted(matter) })
    // Whoever opened it may not be who may handle it.
    const isTheirs = actor !== OPERATOR && mayHandle(actor, matter)
    return { caseId: id, isTheirs, question: subject.about }
  },
})

/** A post, with its question locked, or a profile. `about`: the question that the post belongs to. */
async function reportable(write: Write, reported: Subject) {
  if (reported.about === 'person') return { profileId: reported.id, reported, about: null }
  const post = await SUBJECTS[TABLES[reported.about]](write, reported.id)
  return { ...post, reported, about: questionOf(post) }
}

type Reportable = Awaited<ReturnType<typeof reportable>>

/**
 * Nobody reports their own profile, or one that they may not know to be there.
 * @throws Problem 'forbidden', 'notFound'
 */
async function mustBeMet({ write, actor, subject: { reported } }: Doing<unknown, Reportable>): Promise<void> {
  if (reported.about !== 'person') return
  if (idOf(actor) === reported.id) throw forbidden()
  if ((await findMet(write, actor === OPERATOR ? null : actor, reported.id)) === null) throw notFound()
}

type Report = Pick<Row<'reports'>, 'reason' | 'note' | 'language'> & {
  readonly name: string
  readonly email: string | null
  /** null, or left out: not known. */
  readonly network?: string | null
}

/**
 * Adds a report to the open case of its subject, whoever opened that.
 * @returns 'again': they reported this text before. 'reviewed': staff decided on this very text.
 */
export async function report(
  write: Write,
  personId: number | null,
  subject: Subject,
  { name, email: address, network = null, ...sent }: Report,
): Promise<{ readonly outcome: 'sent' | 'again' | 'reviewed'; readonly reportId: number | null }> {
  const now = await textOf(write, subject)
  if (await isReviewed(write, subject, now.textVersion)) return { outcome: 'reviewed', reportId: null }
  const { id } = await openCase(write, subject, sent.reason, { actorId: personId, isReport: true }, now)
  const reportId = await addReport(write, {
    ...sent,
    case_id: id,
    person_id: personId,
    is_by_visitor: personId === null,
    visitor_name: name,
    visitor_email: address,
    text_version: now.textVersion,
    network_mark: network === null ? null : markOf(id, network),
  })
  return { outcome: reportId === null ? 'again' : 'sent', reportId }
}

/**
 * Opens a case about what somebody reported again, with their report: they are told its outcome, too.
 * @returns false: it is gone for good
 */
export async function reopenFor(write: Write, reportId: number, actorId: number): Promise<boolean> {
  const { subject: name, ...sent } = await write
    .selectFrom('reports')
    .innerJoin('cases', 'cases.id', 'reports.case_id')
    .select(['cases.subject', 'reports.person_id', 'reports.is_by_visitor', 'reports.visitor_name'])
    .select(['reports.visitor_email', 'reports.language', 'reports.reason', 'reports.note'])
    .where('reports.id', '=', reportId)
    .executeTakeFirstOrThrow()
  const subject = subjectOf(name)
  const now = await findSubject(write, subject)
  if (now === null || now.isPurged) return false
  const { id } = await openCase(write, subject, sent.reason, { actorId, isReport: true }, now)
  await addReport(write, { ...sent, case_id: id, text_version: now.textVersion })
  return true
}

/** @returns its number; null: they reported this text in this case before */
async function addReport(write: Write, sent: NewRow<'reports'>): Promise<number | null> {
  const inserted = await write
    .insertInto('reports')
    .values(sent)
    .onConflict((conflict) => conflict.constraint('reports_once').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined) return null
  await sql`update cases set reports_count = reports_count + 1 where id = ${sent.case_id}`.execute(write)
  return inserted.id
}

/**
 * Whether a visitor left an address with a report that no other report of its case has: it gets one receipt for each case. Reports
 * of a case come one after the other, as each locks it.
 */
async function isFirstOfAddress(write: Write, reportId: number): Promise<boolean> {
  const { rows } = await sql`
    select from reports as one where id = ${reportId} and visitor_email is not null and not exists (
      select from reports as other where other.case_id = one.case_id and other.id <> one.id
        and other.visitor_email = one.visitor_email)`.execute(write)
  return rows.length > 0
}

/** Whether a case about this very text was decided. Uses index cases_of_subject. */
export async function isReviewed(db: Database | Write, subject: Subject, textVersion: string) {
  const decided = await db
    .selectFrom('cases')
    .select('id')
    .where('subject', '=', subjectName(subject))
    .where('state', '<>', 'open')
    .where('text_version', '=', textVersion)
    .limit(1)
    .executeTakeFirst()
  return decided !== undefined
}

/** The text of a subject that can still be reported. @throws Problem 410 when it is gone, or was deleted over a day ago */
export async function textOf(db: Database | Write, subject: Subject): Promise<SubjectText> {
  const found = await findSubject(db, subject)
  if (found === null || found.isPurged || found.isLongDeleted) throw gone()
  return found
}

/** Characters of a reported text that lists show; also in db/schema/tables/07_moderation.sql. */
export const EXCERPT = 240

/** Opens a case, or finds the one that is open, and locks it: a subject never has two. Keeps the text as it is now, where no report did. */
async function openCase(
  write: Write,
  subject: Subject,
  reason: ReportReason,
  by: { readonly actorId: number | null; readonly isReport: boolean; readonly isDecided?: boolean },
  given?: SubjectText,
): Promise<{ id: number; isNew: boolean }> {
  const now = given ?? (await textOf(write, subject))
  const post = postKeyOf(subject)
  const inserted = await write
    .insertInto('cases')
    .values({
      subject: subjectName(subject),
      ...(post !== null && { [KINDS[post.table].column]: post.id }),
      person_id: now.personId,
      course_id: now.courseId,
      is_for_admins: now.courseId === null || now.role === 'instructor' || now.isAdmin,
      opened_by: by.isReport ? null : by.actorId,
      is_reported: by.isReport,
      text_version: now.textVersion,
      reason,
    })
    .onConflict((conflict) => conflict.column('subject').where('state', '=', sql.lit('open')).doNothing())
    .returning('id')
    .executeTakeFirst()
  const open = inserted ?? (await lockOpenCase(write, subjectName(subject)))
  // It was decided meanwhile.
  if (open === undefined) return openCase(write, subject, reason, by, now)
  const { id } = open
  await keepSnapshot(write, id, now)
  if (inserted !== undefined) {
    // A course whose staff may not handle it, or that has none, leaves it to the admins: every case reaches
    // somebody.
    await sql`
      update cases as matter set is_for_admins = true
      where id = ${id} and not is_for_admins and not ${hasHandlerInCourse}`.execute(write)
    if (by.isDecided !== true) await notifyHandlers(write, [id], 'case', by.actorId)
  } else {
    // A report about another text than those before changes what there is to decide.
    await write
      .updateTable('cases')
      .set({ text_version: now.textVersion, version: sql`version + 1` })
      .where('id', '=', id)
      .where('text_version', '<>', now.textVersion)
      .execute()
  }
  return { id, isNew: inserted !== undefined }
}

/** @param subject its name */
export const lockOpenCase = (write: Write, subject: string) =>
  write
    .selectFrom('cases')
    .select(['id', 'version'])
    .where('subject', '=', subject)
    .where('state', '=', 'open')
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Deletes a post as one act, with a case that is decided at once, or the one that is open about it. @returns the case's id */
export async function deleteAsCase(
  write: Write,
  actorId: number,
  subject: Subject,
  why: Why,
): Promise<number> {
  const by = { actorId, isReport: false, isDecided: true }
  const { id } = await openCase(write, subject, why.reason, by)
  const { version } = (await lockOpenCase(write, subjectName(subject))) ?? { version: 0 }
  const measure = { kind: 'delete', endsAt: null, isEverywhere: false } as const
  await decide(write, actorId, id, { version, isUpheld: true, measures: [measure], said: why })
  return id
}

/** The text as it stands, with its pictures: once for each version that was reported. */
async function keepSnapshot(write: Write, caseId: number, now: SubjectText): Promise<void> {
  await write
    .insertInto('case_snapshots')
    .values({
      case_id: caseId,
      text_version: now.textVersion,
      title: now.title,
      body: now.body,
      excerpt: now.html === null ? null : excerpt(now.html, EXCERPT),
      tags: now.tags === null ? null : [...now.tags],
      written_at: now.writtenAt,
    })
    .onConflict((conflict) => conflict.columns(['case_id', 'text_version']).doNothing())
    .execute()
  await sql`
    insert into case_images (case_id, image_id)
    select matter.id, shown.image_id from cases as matter
    join post_images as shown on shown.question_id = matter.question_id or shown.answer_id = matter.answer_id
      or shown.reply_id = matter.reply_id
    where matter.id = ${caseId} and shown.is_shown
    on conflict do nothing`.execute(write)
}
