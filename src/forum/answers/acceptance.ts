import type { Write } from '../../database/schema.ts'
import { mark } from '../../kernel/mark.ts'
import { answer, lockQuestion, shownAnswer } from '../posts/lock.ts'
import { writeStatus } from '../posts/resolution.ts'
import { notifyAuthor } from '../telling/tell-posts.ts'

export const answerAcceptance = mark({
  name: 'accept-answer',
  right: 'accept',
  find: answer,
  address: '/answers/:id/acceptance',
  flash: { set: 'answers.flash.accepted', unset: 'answers.flash.unaccepted' },
  change: ({ write, subject: { id, questionId }, person }, isAccepted) =>
    setAcceptance(write, questionId, id, isAccepted, person.id),
})

/**
 * Accepts an answer, which resolves its question, or takes the acceptance back, which opens the question again.
 * @param actorId whose act it is; null: nobody's who is known
 */
export async function setAcceptance(
  write: Write,
  questionId: number,
  answerId: number,
  isAccepted: boolean,
  actorId: number | null = null,
): Promise<void> {
  const question = await lockQuestion(write, questionId)
  await shownAnswer(write, questionId, answerId)
  if (isAccepted) {
    await writeStatus(write, question, 'resolved', answerId)
    if (question.acceptedAnswerId !== answerId)
      await notifyAuthor(write, 'accepted', questionId, answerId, actorId)
  } else if (question.acceptedAnswerId === answerId) await writeStatus(write, question, 'unresolved', null)
}
