import { type Nullable, sql } from 'kysely'
import { z } from 'zod'
import type { FaqState, Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { choice, optional, plain, whole } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { EditedMeanwhile, notFound, refusal } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { termsOfNews } from '../announcements/announcement.ts'
import { course } from '../courses/find-course.ts'
import { POST_BODY, postBody, postTitle, version } from '../posts/form.ts'
import { type Entry, findEntry, joinBestAnswer } from './queries.ts'

export const STATES = ['proposed', 'shown', 'declined'] as const

/** The id of a question or its address. */
const question = () =>
  plain.transform((value, context) => {
    const id = /^(?:[^?#]*\/questions\/|#)?([1-9]\d{0,14})(?:[/?#].*)?$/.exec(value.trim())?.[1]
    if (id !== undefined) return Number(id)
    context.addIssue({ code: 'custom', message: 'faq.question.unknown' })
    return z.NEVER
  })

const position = () => whole(999_999, 'faq.position.wrong')

/** Fields of an existing entry; those left empty stay as they are. */
export const changed = {
  title: optional(postTitle()),
  body: optional(postBody()),
  position: optional(position()),
  state: optional(choice(STATES)),
}

/** A question, or title and body. */
const proposed = { question: optional(question()), ...changed }

/** Who may not decide proposes, whatever is wished. */
export const faqEntry = operation({
  name: 'make-faq-entry',
  right: 'propose-faq',
  find: course,
  once: true,
  input: proposed,
  events: ['faq-changed'],
  async run({ write, actor, subject, input: { question, title, body, position, ...wished }, note }) {
    const { id: courseId, slug } = subject
    const text = title === null || body === null ? null : { title, body: body.source }
    const about = question ?? text
    if (about === null) throw refusal('title', 'faq.nothing')
    const decides = may(personOf(actor), 'decide-faq', subject)
    const state = (decides ? wished.state : null) ?? 'proposed'
    if (!(await makeEntry(write, { courseId, about, state, position })))
      throw refusal('question', 'faq.question.unknown')
    note('faq-changed', { courseId, state })
    return { slug, state }
  },
})

/**
 * Changes an entry, shows or declines it. Without a version it is changed whatever it is now. What changes nothing makes no version.
 * @throws EditedMeanwhile
 */
export const faqChange = operation({
  name: 'change-faq-entry',
  right: 'decide-faq',
  find: entry,
  input: { ...changed, version },
  events: ['faq-changed'],
  async run({ write, subject, input: { version: begunWith, body, ...others }, note }) {
    const { slug, courseId } = subject
    const change = { ...others, body: body?.source ?? null }
    const state = change.state ?? 'shown'
    if (isAsChanged(subject.entry, change) && begunWith === subject.entry.version)
      return { slug, state, isChanged: false }
    if ((await changeEntry(write, subject.entry, change, begunWith)) === 'conflict') {
      const now = await findEntry(write, subject.entry.id)
      if (!isAsChanged(now ?? subject.entry, change)) throw new EditedMeanwhile()
    }
    note('faq-changed', { courseId, state: change.state })
    return { slug, state, isChanged: true }
  },
})

export const faqMove = operation({
  name: 'move-faq-entry',
  right: 'decide-faq',
  find: entry,
  input: { direction: choice(['up', 'down']) },
  events: ['faq-changed'],
  async run({ write, subject: { slug, courseId, entry }, input: { direction }, note }) {
    if (!(await moveEntry(write, courseId, entry.id, direction))) throw notFound()
    note('faq-changed', { courseId, state: entry.state })
    return { slug, id: entry.id }
  },
})

/** An entry of a course's FAQ. @throws Problem 'notFound' */
async function entry(write: Write, id: number) {
  const found = await findEntry(write, id)
  if (found === undefined) throw notFound()
  return { ...(await course(write, found.slug)), entry: found }
}

interface NewEntry {
  readonly courseId: number
  /** A question of the course, or a text of its own. */
  readonly about: number | { readonly title: string; readonly body: string }
  readonly state: FaqState
  /** null: after all others. */
  readonly position: number | null
}

/**
 * Makes an entry. Of a question that has one already the state changes, unless it was declined and is only proposed again.
 * @returns false: there is no such question for everybody in the course
 */
export async function makeEntry(write: Write, { courseId, about, state, position }: NewEntry) {
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

/**
 * A question leaves its course: entries about it go on as texts, with what explained it. Not those that were declined, or that not
 * everybody in the course may read.
 */
export async function keepEntriesAsText(write: Write, questionId: number): Promise<void> {
  const { rows } = await sql<{ id: number; title: string; body: string; isKept: boolean }>`
    select entry.id, q.title, left(coalesce(best.body, q.body), ${POST_BODY.max}::integer) as body,
      q.is_listed and entry.state <> 'declined' as "isKept"
    from faq_entries as entry join questions as q on q.id = entry.question_id ${joinBestAnswer}
    where q.id = ${questionId} order by entry.id for update of entry`.execute(write)
  for (const { id, isKept, ...text } of rows) {
    const as = {
      ...text,
      terms: await termsOfNews(text),
      question_id: null,
      version: sql<number>`version + 1`,
    }
    if (isKept) await write.updateTable('faq_entries').set(as).where('id', '=', id).execute()
    else await write.deleteFrom('faq_entries').where('id', '=', id).execute()
  }
}

/** What of an entry is changed; null: it stays as it is. */
type EntryChange = Nullable<Pick<Entry, 'title' | 'body' | 'position' | 'state'>>

/**
 * Changes what is given of an entry; a question's text is the question's.
 * @param begunWith the version that the change was begun with; null: the change is made whatever the version is
 */
async function changeEntry(
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
function isAsChanged(entry: EntryChange, change: EntryChange): boolean {
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
    // It doesn't move to another course meanwhile.
    .forKeyShare()
    .executeTakeFirst()
  return found !== undefined
}

/**
 * Swaps an entry with the one shown before or after it. The shown entries are numbered anew from 1, as positions may repeat; two moves
 * at once run one after the other.
 * @returns false: it is not shown
 */
async function moveEntry(write: Write, courseId: number, id: number, direction: 'up' | 'down') {
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
