import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { flag } from '../../kernel/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { accountOf, may } from '../../kernel/rights/rights.ts'
import { placeBelow, typedMentions } from '../mentions/typed.ts'
import { openToReplies } from '../posts/closing.ts'
import { questionOf } from '../posts/find.ts'
import { anonymous, REPLY_BODY, replyBody, resolve } from '../posts/form.ts'
import { noteHeld, whyHeld } from '../posts/hold.ts'
import { answer, type LockedPost, question, requireShown } from '../posts/lock.ts'
import { reopen, setResolution } from '../posts/resolution.ts'
import { countNewcomer, fewLinks, permittedName } from '../posts/rules.ts'
import { doubtedBelow } from '../posts/spam-service.ts'
import { writeReply } from '../posts/text.ts'

/**
 * Posts a reply under a question: asking back for a detail. `reopen`: the question is open again, where its author may say so;
 * `resolve`: it is resolved.
 */
export const replyToQuestion = replying('reply-to-question', question, 'questions', () => null)

export const replyToAnswer = replying('reply-to-answer', answer, 'answers', ({ id }) => id)

function replying(
  name: string,
  find: (write: Write, id: number) => Promise<LockedPost>,
  below: 'questions' | 'answers',
  answerIdOf: (parent: LockedPost) => number | null,
) {
  return operation({
    name,
    right: 'reply',
    find,
    once: true,
    input: { body: replyBody(), anonymous, resolve, reopen: flag },
    completed: typedMentions(placeBelow[below], REPLY_BODY.max),
    doubts: doubtedBelow('reply', placeBelow[below]),
    rules: [openToReplies, fewLinks, permittedName],
    events: ['post-held'],
    async run(doing) {
      const { write, actor, subject, input } = doing
      const author = personOf(actor)
      const { questionId } = subject
      if (input.resolve) requireRight(author, 'resolve', subject)
      const { body, anonymous: isAnonymous } = input
      const answerId = answerIdOf(subject)
      const heldFor = await whyHeld(doing, { table: 'replies', html: body.html })
      const id = await writeReply(write, requireShown(subject.question), {
        answerId,
        authorId: author.id,
        body,
        isAnonymous,
        isMember: subject.courseId in accountOf(author).roles,
        heldFor,
      })
      if (input.reopen && may(author, 'resolve', subject)) await reopen(write, questionId)
      if (input.resolve) await setResolution(write, questionId, 'resolved')
      await noteHeld(doing, { kind: 'reply', id }, heldFor)
      await countNewcomer(write, author, subject.courseId)
      return { id, question: questionOf(subject), isResolved: input.resolve, isHeld: heldFor !== null }
    },
  })
}
