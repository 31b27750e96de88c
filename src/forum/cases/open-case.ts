import { sql } from 'kysely'
import type { Database, ReportReason, Write } from '../../database/schema.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { excerpt } from '../../text/plain.ts'
import { hasHandlerInCourse } from '../handling/handlers.ts'
import { type Subject, type SubjectText, subjectColumns, subjectName } from './subject.ts'
import { notifyHandlers } from './told.ts'

/** Characters of a reported text that lists show; also in db/schema/tables/07_moderation.sql. */
export const EXCERPT = 240

interface NewCase {
  readonly subject: Subject
  readonly text: SubjectText
  readonly reason: ReportReason
  /** Staff who take it up by themselves; null: a report does. */
  readonly openedBy: number | null
  /** The person not to notify, who opened it; null: a visitor. */
  readonly actorId: number | null
}

/** Opens a case, or finds the one that is open, and locks it: a subject never has two. Keeps the text as it is now, where no report did. */
export async function openCase(write: Write, opening: NewCase): Promise<{ id: number; isNew: boolean }> {
  const { subject, text, reason, openedBy, actorId } = opening
  const inserted = await write
    .insertInto('cases')
    .values({
      ...subjectColumns(subject, text),
      is_for_admins: text.courseId === null || text.role === 'instructor' || text.isAdmin,
      opened_by: openedBy,
      is_reported: openedBy === null,
      text_version: text.textVersion,
      reason,
    })
    .onConflict((conflict) => conflict.column('subject').where('state', '=', sql.lit('open')).doNothing())
    .returning('id')
    .executeTakeFirst()
  const id = inserted?.id ?? (await lockOpenCase(write, subjectName(subject)))
  if (id === null) return openCase(write, opening)
  await keepSnapshot(write, id, text)
  if (inserted !== undefined) {
    await giveToAdminsWithoutStaff(write, id)
    await notifyHandlers(write, [id], 'case', actorId)
  } else await noteVersion(write, id, text.textVersion)
  return { id, isNew: inserted !== undefined }
}

/** null: it was decided meanwhile. */
async function lockOpenCase(write: Write, subject: string): Promise<number | null> {
  const found = await write
    .selectFrom('cases')
    .select('id')
    .where('subject', '=', subject)
    .where('state', '=', 'open')
    .forNoKeyUpdate()
    .executeTakeFirst()
  return found?.id ?? null
}

/** The text as it stands, with its pictures: once for each version that was reported. */
async function keepSnapshot(write: Write, caseId: number, text: SubjectText): Promise<void> {
  await write
    .insertInto('case_snapshots')
    .values({
      case_id: caseId,
      text_version: text.textVersion,
      title: text.title,
      body: text.body,
      excerpt: text.html === null ? null : excerpt(text.html, EXCERPT),
      tags: text.tags === null ? null : [...text.tags],
      written_at: text.writtenAt,
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

/** A report about another text than those before changes what there is to decide. */
async function noteVersion(write: Write, id: number, textVersion: string): Promise<void> {
  await write
    .updateTable('cases')
    .set({ text_version: textVersion, version: sql`version + 1` })
    .where('id', '=', id)
    .where('text_version', '<>', textVersion)
    .execute()
}

/** A course whose staff may not handle it, or that has none, leaves it to the admins: every case reaches somebody. */
async function giveToAdminsWithoutStaff(write: Write, id: number): Promise<void> {
  await sql`
    update cases as matter set is_for_admins = true
    where id = ${id} and not is_for_admins and not ${hasHandlerInCourse}`.execute(write)
}

/** Texts in memory at a time. */
const BATCH = 50

/** Makes the excerpts of texts that cases kept before there were any. What was redacted meanwhile gets none. */
export async function fillExcerpts(db: Database, isStopping: () => boolean): Promise<void> {
  while (!isStopping()) {
    const { rows } = await sql<{ case_id: number; text_version: string; body: string }>`
      select case_id, text_version, body from case_snapshots
      where excerpt is null and body is not null order by case_id limit ${BATCH}`.execute(db)
    if (rows.length === 0) return
    const texts = await prepareMarkdown(rows.map(({ body }) => body))
    const excerpts = texts.map(({ html }) => excerpt(html, EXCERPT))
    await sql`
      update case_snapshots as kept set excerpt = made.excerpt
      from unnest(${rows.map((row) => row.case_id)}::bigint[], ${rows.map((row) => row.text_version)}::text[],
        ${excerpts}::text[]) as made (case_id, text_version, excerpt)
      where kept.case_id = made.case_id and kept.text_version = made.text_version and kept.redacted_at is null`.execute(
      db,
    )
  }
}
