import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'

/**
 * Locks a case, and before it the question that its post belongs to: as posting and reporting do, which lock the question first. Rows
 * that refer to the case can still be added. @returns false: there is none
 */
export async function lockCase(write: Write, id: number): Promise<boolean> {
  await sql`
    select from questions where id = (
      select coalesce(matter.question_id, answer.question_id, reply.question_id) from cases as matter
      left join answers as answer on answer.id = matter.answer_id
      left join replies as reply on reply.id = matter.reply_id
      where matter.id = ${id})
    for no key update`.execute(write)
  const locked = await write
    .selectFrom('cases')
    .select('id')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return locked !== undefined
}

/** Locks questions, in the order that all writes of several keep. */
export async function lockQuestions(write: Write, ids: readonly number[]): Promise<void> {
  await sql`select from questions where id = any(${[...ids]}::bigint[]) order by id for no key update`.execute(
    write,
  )
}

/**
 * Waits for what somebody is posting, and keeps them from posting more until the transaction ends: what they write from then on knows
 * that they are suspended. readActor holds the other side of this lock.
 */
export async function lockWriter(write: Write, personId: number): Promise<void> {
  await sql`select from people where id = ${personId} for update`.execute(write)
}
