import { sql } from 'kysely'
import type { FaqState, Write } from '../../database/schema.ts'
import { termsOfNews } from '../announcements/announcement.ts'

export interface EntryText {
  readonly title: string
  readonly body: string
}

export interface NewEntry {
  readonly courseId: number
  /** A question of the course, or a text of its own. */
  readonly about: number | EntryText
  readonly state: FaqState
  /** null: after all others. */
  readonly position: number | null
}

/**
 * Makes an entry. Of a question that has one already the state changes, unless it was declined and is only proposed again.
 * @returns false: there is no such question for everybody in the course
 */
export async function makeEntry(
  write: Write,
  { courseId, about, state, position }: NewEntry,
): Promise<boolean> {
  const isQuestion = typeof about === 'number'
  if (isQuestion && !(await isListed(write, courseId, about))) return false
  const last = sql<number>`least(1000000,
    (select coalesce(max(position), 0) + 1 from faq_entries where course_id = ${courseId}))`
  await write
    .insertInto('faq_entries')
    .values({
      course_id: courseId,
      ...(isQuestion ? { question_id: about } : { ...about, terms: await termsOfNews(about) }),
      state,
      position: position ?? last,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['course_id', 'question_id'])
        .doUpdateSet({ state, changed_at: sql`now()` })
        .where(sql<boolean>`${state !== 'proposed'}`),
    )
    .execute()
  return true
}

/** What of an entry is changed; null: it stays as it is. */
export interface EntryChange {
  readonly title: string | null
  readonly body: string | null
  readonly position: number | null
  readonly state: FaqState | null
}

/**
 * Changes what is given of an entry; a question's text is the question's.
 * @param begunWith the version that the change was begun with; null: the change is made whatever the version is
 */
export async function changeEntry(
  write: Write,
  entry: { readonly id: number; readonly title: string | null; readonly body: string | null },
  change: EntryChange,
  begunWith: number | null,
): Promise<'done' | 'conflict'> {
  const text =
    entry.title === null || entry.body === null
      ? null
      : { title: change.title ?? entry.title, body: change.body ?? entry.body }
  const changed = await write
    .updateTable('faq_entries')
    .set({
      ...(text === null ? {} : { ...text, terms: await termsOfNews(text) }),
      ...(change.position === null ? {} : { position: change.position }),
      ...(change.state === null ? {} : { state: change.state }),
      version: sql`version + 1`,
      changed_at: sql`now()`,
    })
    .where('id', '=', entry.id)
    .$if(begunWith !== null, (update) => update.where('version', '=', begunWith))
    .executeTakeFirst()
  return changed.numUpdatedRows === 1n ? 'done' : 'conflict'
}

/** Whether an entry is as a change would make it: two people want the same, or a form came twice. */
export function isAsChanged(entry: EntryChange, change: EntryChange): boolean {
  return (['title', 'body', 'position', 'state'] as const).every(
    (field) => change[field] === null || change[field] === entry[field],
  )
}

async function isListed(write: Write, courseId: number, questionId: number): Promise<boolean> {
  const found = await write
    .selectFrom('questions')
    .select('id')
    .where('id', '=', questionId)
    .where('course_id', '=', courseId)
    .where('is_listed', '=', true)
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Swaps an entry with the one shown before or after it. The shown entries are numbered anew from 1, as positions may repeat; two moves
 * at once run one after the other.
 * @returns false: it is not shown
 */
export async function moveEntry(
  write: Write,
  courseId: number,
  id: number,
  direction: 'up' | 'down',
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('faq'), ${courseId}::integer)`.execute(write)
  const { rows } = await sql<{ id: number }>`
    select id from faq_entries where course_id = ${courseId} and state = 'shown'
    order by position, id for update`.execute(write)
  const at = rows.findIndex((one) => one.id === id)
  const entry = rows[at]
  if (entry === undefined) return false
  const to = Math.min(Math.max(at + (direction === 'up' ? -1 : 1), 0), rows.length - 1)
  const ids = rows
    .toSpliced(at, 1)
    .toSpliced(to, 0, entry)
    .map((one) => one.id)
  await sql`update faq_entries set position = place.position
    from unnest(${ids}::bigint[], ${ids.map((_, index) => index + 1)}::integer[]) as place (id, position)
    where faq_entries.id = place.id and faq_entries.position <> place.position`.execute(write)
  return true
}
