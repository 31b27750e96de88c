import { personOf } from '../../operations/actor.ts'
import { yes } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { questionOf } from '../posts/find.ts'
import { answer, question } from '../posts/subjects.ts'
import { castVote } from './commands.ts'

/** Votes for a question, or takes the vote back. */
export const questionVote = voting('question', question)

/** Votes for an answer, or takes the vote back. */
export const answerVote = voting('answer', answer)

function voting(kind: 'question' | 'answer', find: typeof question) {
  return operation({
    name: `vote-for-${kind}`,
    right: 'vote',
    find,
    limit: 'voting',
    input: { value: yes },
    async run({ write, actor, subject, input: { value: isVoted } }) {
      const { id } = subject
      await castVote(write, { kind, id }, personOf(actor).id, isVoted)
      return { id, question: questionOf(subject), isVoted }
    },
  })
}
