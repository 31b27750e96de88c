import { personOf } from '../../kernel/actor.ts'
import { plain } from '../../kernel/fields.ts'
import { forum, operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { markCasesSeen } from '../cases/told.ts'
import { findQuestion, questionOf } from '../posts/find.ts'
import { markAllSeen, markSeen } from '../telling/read.ts'
import { oneNotification } from './queries.ts'

export const allSeen = operation({
  name: 'mark-notifications-seen',
  right: 'have-account',
  find: forum,
  limit: 'voting',
  isForSuspended: true,
  run: async ({ write, actor }) => markAllSeen(write, personOf(actor).id),
})

/** Opens what somebody was told, which is seen then. @returns what it says, or its question where it has nothing left to say */
export const notificationOpening = operation({
  name: 'open-notification',
  right: 'have-account',
  find: forum,
  limit: 'voting',
  isForSuspended: true,
  input: { id: plain },
  async run({ write, actor, input }) {
    const person = personOf(actor)
    const id = Number(input.id)
    const told = await oneNotification(write, person.id, id)
    const subject = await markSeen(write, id, person.id)
    const together = told?.together ?? []
    await markCasesSeen(
      write,
      person.id,
      together.map((one) => one.id),
    )
    if (told !== null || subject?.caseId != null) return { told }
    if (subject?.questionId == null) throw notFound()
    const question = questionOf(await findQuestion(write, person, subject.questionId, 'read'))
    return { told, question }
  },
})
