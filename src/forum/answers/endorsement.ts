import type { Write } from '../../database/schema.ts'
import { mark } from '../../kernel/mark.ts'
import { writtenNow } from '../posts/find.ts'
import { answer, lockQuestion, shownAnswer } from '../posts/lock.ts'
import { indexQuestions } from '../search/index-question.ts'
import { notifyAuthor } from '../telling/tell-posts.ts'

export const answerEndorsement = mark({
  name: 'endorse-answer',
  right: 'endorse',
  find: answer,
  address: '/answers/:id/endorsement',
  isForStaff: true,
  events: ['staff-decided'],
  flash: { set: 'answers.flash.endorsed', unset: 'answers.flash.unendorsed' },
  async change({ write, subject: { id, questionId }, person, note }, isEndorsed) {
    await setEndorsement(write, questionId, id, isEndorsed ? person.id : null)
    note('staff-decided', { act: isEndorsed ? 'endorse' : 'unendorse', questionId, answerId: id })
  },
})

/**
 * Says that an answer is correct, or takes that back. Twice is once: who said it first is kept. The asker's acceptance has
 * nothing to do with it.
 * @param actorId the member of staff who says so; null: nobody any more
 * @throws Problem 410 when the answer is deleted
 */
export async function setEndorsement(
  write: Write,
  questionId: number,
  answerId: number,
  actorId: number | null,
): Promise<void> {
  await lockQuestion(write, questionId)
  const answer = await shownAnswer(write, questionId, answerId)
  if ((answer.endorsed_by === null) === (actorId === null)) return
  await write
    .updateTable('answers')
    .set({ endorsed_by: actorId, endorsed_at: actorId === null ? null : writtenNow(questionId) })
    .where('id', '=', answerId)
    .execute()
  await indexQuestions(write, [questionId])
  if (actorId !== null) await notifyAuthor(write, 'endorsed', questionId, answerId, actorId)
}
