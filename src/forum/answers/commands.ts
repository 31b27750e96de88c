import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { gone } from '../../operations/problem.ts'
import type { RenderedText } from '../../text/markdown.ts'
import { type LockedQuestion, lockEvenDeleted } from '../posts/lock.ts'
import { writtenNow } from '../posts/moment.ts'
import { type Authorship, notePost } from '../posts/new-post.ts'
import { writeStatus } from '../posts/resolution.ts'
import { renderedBody } from '../posts/text.ts'
import { indexQuestions, queueForSearch } from '../search/index-question.ts'
import { tellOfAnswer } from '../telling/tell-posts.ts'

export interface NewAnswer extends Authorship {
  readonly body: RenderedText
}

/** Posts an answer; its author becomes a learner of the course, unless it is without their name. Both are locked. @returns its id */
export async function writeAnswer(
  write: Write,
  question: LockedQuestion,
  answer: NewAnswer,
): Promise<number> {
  const { authorId, isAnonymous = false } = answer
  const rendered = renderedBody(answer.body)
  const { id } = await write
    .insertInto('answers')
    .values({
      question_id: question.id,
      author_id: authorId,
      is_anonymous: isAnonymous,
      written_at: writtenNow(question.id),
      ...rendered,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await notePost(write, question, { table: 'answers', id, bodyHtml: rendered.body_html }, answer)
  await tellOfAnswer(write, { id, questionId: question.id, authorId })
  await queueForSearch(write, question.id)
  return id
}

/**
 * Hides an answer; an accepted one leaves its question unresolved.
 * @param actorId whose act it is; null: nobody's who is known, so that only staff can restore it
 * @throws Problem 410 when it is deleted already
 */
export async function deleteAnswer(
  write: Write,
  questionId: number,
  id: number,
  actorId: number | null = null,
): Promise<void> {
  const question = await lockEvenDeleted(write, questionId)
  const isAccepted = question.acceptedAnswerId === id
  const deleted = await write
    .updateTable('answers')
    .set({
      deleted_at: sql`now()`,
      deleted_by: actorId,
      was_accepted: sql`was_accepted or ${isAccepted}`,
    })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (deleted === undefined) throw gone()
  if (question.isDeleted) return
  if (isAccepted) await writeStatus(write, question, 'unresolved', null)
  await indexQuestions(write, [questionId])
}

/**
 * Shows a deleted answer again, with the replies under it. It is the accepted one again if it was and no other is by now. One that
 * is shown stays as it is.
 * @returns the title of its question; empty while that is deleted
 */
export async function restoreAnswer(write: Write, questionId: number, id: number): Promise<string> {
  const question = await lockEvenDeleted(write, questionId)
  await showAgain(write, question, id, { deleted_at: null, deleted_by: null })
  await indexQuestions(write, [questionId])
  return question.isDeleted ? '' : question.title
}

/** The reason why an answer wasn't shown, which now ends. */
type Ended = { readonly deleted_at: null; readonly deleted_by: null } | { readonly hidden_at: null }

/**
 * Ends that an answer is deleted, or hidden. Once nothing else keeps it from being shown it is the accepted one again, if it was
 * and no other is by now.
 * @param question locked
 */
export async function showAgain(
  write: Write,
  question: LockedQuestion,
  id: number,
  ended: Ended,
): Promise<void> {
  const { was_accepted: wasAccepted } = await write
    .selectFrom('answers')
    .select('was_accepted')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { is_shown: isShown } = await write
    .updateTable('answers')
    .set({ ...ended, was_accepted: false })
    .where('id', '=', id)
    .returning('is_shown')
    .executeTakeFirstOrThrow()
  if (!wasAccepted) return
  if (!isShown) await write.updateTable('answers').set({ was_accepted: true }).where('id', '=', id).execute()
  else if (question.acceptedAnswerId === null) await writeStatus(write, question, 'resolved', id)
}
