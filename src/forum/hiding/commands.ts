import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { notFound } from '../../operations/problem.ts'
import { showAgain } from '../answers/commands.ts'
import type { PostKey } from '../posts/kinds.ts'
import { lockEvenDeleted } from '../posts/lock.ts'
import { writeStatus } from '../posts/resolution.ts'
import { indexQuestions } from '../search/index-question.ts'

/**
 * Hides a question, an answer or a reply with all under it from everybody but its author and the course's staff. An accepted answer
 * leaves its question unresolved. One that is hidden already stays so since when it was.
 * @returns whether this hid it
 * @throws Problem 404 when there is no such post
 */
export async function hidePost(write: Write, post: PostKey): Promise<boolean> {
  const question = await lockEvenDeleted(write, await questionIdOf(write, post))
  const hidden = await write
    .updateTable(post.table)
    .set({ hidden_at: sql`now()` })
    .where('id', '=', post.id)
    .where('hidden_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (hidden === undefined) return false
  if (post.table === 'answers' && question.acceptedAnswerId === post.id) {
    await write.updateTable('answers').set({ was_accepted: true }).where('id', '=', post.id).execute()
    if (!question.isDeleted) await writeStatus(write, question, 'unresolved', null)
  }
  await indexQuestions(write, [question.id])
  return true
}

/**
 * Ends that a post is hidden: it is shown again unless it was deleted or is held. An answer that was accepted is so again, if no
 * other is by now. One that is not hidden stays as it is.
 * @returns whether this ended it
 * @throws Problem 404 when there is no such post
 */
export async function showPost(write: Write, post: PostKey): Promise<boolean> {
  const question = await lockEvenDeleted(write, await questionIdOf(write, post))
  const isHidden = await write
    .selectFrom(post.table)
    .select('id')
    .where('id', '=', post.id)
    .where('hidden_at', 'is not', null)
    .executeTakeFirst()
  if (isHidden === undefined) return false
  const ended = { hidden_at: null }
  if (post.table === 'answers') await showAgain(write, question, post.id, ended)
  else await write.updateTable(post.table).set(ended).where('id', '=', post.id).execute()
  await indexQuestions(write, [question.id])
  return true
}

async function questionIdOf(write: Write, { table, id }: PostKey): Promise<number> {
  if (table === 'questions') return id
  const post = await write.selectFrom(table).select('question_id').where('id', '=', id).executeTakeFirst()
  if (post === undefined) throw notFound()
  return post.question_id
}
