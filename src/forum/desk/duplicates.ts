import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { lockQuestion } from '../posts/lock.ts'

/** Why a question cannot be linked to another: it is not in the course, not readable by all who read this one, or itself. */
export type DuplicateRefusal = 'unknown' | 'private' | 'itself'

/** The id in what somebody typed: a number, #12, or an address of a question. null: there is none. */
export function questionIdIn(typed: string): number | null {
  const id = /^(?:#|(?:https?:\/\/[^/\s]+)?\/questions\/)?([1-9]\d{0,14})(?:[/?#]\S*)?$/.exec(
    typed.trim(),
  )?.[1]
  return id === undefined ? null : Number(id)
}

/**
 * Says that a question is answered by another one, or that it is not. A chain is followed to its end, and what led to this
 * question leads there, too. The asker and the followers follow the other one from then on.
 * @param originalId null: it is no duplicate
 * @returns why that cannot be; null: done
 */
export async function setDuplicate(
  write: Write,
  link: { readonly questionId: number; readonly originalId: number | null; readonly actorId: number },
): Promise<DuplicateRefusal | null> {
  const { questionId, originalId, actorId } = link
  if (originalId === null) {
    await lockQuestion(write, questionId)
    const none = { duplicate_of: null, duplicate_by: null }
    await write.updateTable('questions').set(none).where('id', '=', questionId).execute()
    return null
  }
  const end = await lockOriginal(write, questionId, originalId)
  await lockQuestion(write, questionId)
  if (originalId === questionId || end?.id === questionId) return 'itself'
  if (end === null) return 'unknown'
  if (!end.isListed) return 'private'
  await write
    .updateTable('questions')
    .set({ duplicate_of: end.id, duplicate_by: actorId })
    .where((where) => where.or([where('id', '=', questionId), where('duplicate_of', '=', questionId)]))
    .execute()
  await carryFollowers(write, questionId, end.id)
  return null
}

/**
 * The question that a link leads to: what has answers is no duplicate itself, so that a chain has one step. Links of a course are
 * made one after another, or two at once would make a circle. The end is locked before what shall lead to it, as by those who
 * delete or hide it, which releases its duplicates: it stays as it is until the link is made.
 */
export async function lockOriginal(write: Write, questionId: number, id: number) {
  await sql`
    select pg_advisory_xact_lock(hashtext('duplicates'), course_id::integer) from questions where id = ${questionId}`.execute(
    write,
  )
  const { rows } = await sql<{ id: number; isListed: boolean }>`
    select original.id, original.is_listed as "isListed"
    from questions as question
    join questions as named on named.course_id = question.course_id
    join questions as original on original.id = coalesce(named.duplicate_of, named.id)
    where question.id = ${questionId} and named.id = ${id} and original.course_id = question.course_id
      and original.is_shown
    for no key update of original`.execute(write)
  return rows[0] ?? null
}

/** Who muted the other one hears nothing of it. */
async function carryFollowers(write: Write, from: number, to: number): Promise<void> {
  await sql`
    insert into question_follows (question_id, person_id)
    select ${to}, person_id from (
      select person_id from question_follows where question_id = ${from} and level = 'follow'
      union select author_id from questions where id = ${from}) as follower
    order by person_id
    on conflict do nothing`.execute(write)
}
