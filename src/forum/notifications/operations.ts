import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { plain } from '../../kernel/fields.ts'
import { forum, operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { announcement } from '../announcements/announcement.ts'
import { findQuestion, questionOf } from '../posts/find.ts'
import { markAllSeen, markSeen } from '../telling/read.ts'
import { firstElement, type ListedNotification, unseenNotification } from './queries.ts'

export const allSeen = operation({
  name: 'mark-notifications-seen',
  right: 'have-account',
  find: forum,
  limit: 'voting',
  isForSuspended: true,
  run: async ({ write, actor }) => markAllSeen(write, personOf(actor).id),
})

/** Opens what somebody was told, which is seen then. @returns what it is about; `element`: of its page, what is new first */
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
    const element = await firstElement(write, person.id, id)
    // Read before it is seen: what a case tells leads to different places.
    const told = await unseenNotification(write, person.id, id)
    const subject = await markSeen(write, id, person.id)
    return { ...(await toldOf(write, person, subject, told)), element }
  },
})

async function toldOf(
  write: Write,
  person: Person,
  subject: Awaited<ReturnType<typeof markSeen>>,
  told: ListedNotification | null,
) {
  if (subject?.caseId != null) return { told }
  if (subject?.announcementId != null) {
    const found = await announcement(write, subject.announcementId)
    requireRight(person, 'read', found)
    return { announcement: found.announcement }
  }
  if (subject?.questionId == null) throw notFound()
  return { question: questionOf(await findQuestion(write, person, subject.questionId, 'read')) }
}
