import type { Write } from '../../database/schema.ts'
import { deleteAnswer, restoreAnswer } from '../answers/commands.ts'
import type { PostKey } from '../posts/kinds.ts'
import { deleteQuestion, restoreQuestion } from '../questions/commands.ts'
import { deleteReply, restoreReply } from '../replies/commands.ts'
import type { CasePost } from './post-of-case.ts'

/** Deletes a post as staff; one that is deleted stays as it is. */
export async function deletePost(write: Write, post: CasePost, actorId: number): Promise<void> {
  const { table, id, questionId } = post
  if (await isDeleted(write, post)) return
  if (table === 'questions') await deleteQuestion(write, id, actorId)
  else if (table === 'answers') await deleteAnswer(write, questionId, id, actorId)
  else await deleteReply(write, questionId, id, actorId)
}

/** Restores a deleted post. */
export async function restorePost(write: Write, { table, id, questionId }: CasePost): Promise<void> {
  if (table === 'questions') await restoreQuestion(write, id)
  else if (table === 'answers') await restoreAnswer(write, questionId, id)
  else await restoreReply(write, questionId, id)
}

async function isDeleted(write: Write, { table, id }: PostKey): Promise<boolean> {
  const post = await write.selectFrom(table).select('deleted_at').where('id', '=', id).executeTakeFirst()
  return post === undefined || post.deleted_at !== null
}
