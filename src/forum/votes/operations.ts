import { personOf } from '../../operations/actor.ts'
import { yes } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { questionOf } from '../questions/find.ts'
import { answer, question } from '../questions/subjects.ts'
import { castVote } from './commands.ts'

/** Votes for a question, or takes the vote back. */
export const questionVote = operation({
  name: 'vote-for-question',
  right: 'vote',
  find: question,
  limit: 'voting',
  input: { value: yes },
  async run({ write, actor, subject, input: { value: isVoted } }) {
    await castVote(write, { kind: 'question', id: subject.id }, personOf(actor).id, isVoted)
    return { question: questionOf(subject), isVoted }
  },
})

/** Votes for an answer, or takes the vote back. */
export const answerVote = operation({
  name: 'vote-for-answer',
  right: 'vote',
  find: answer,
  limit: 'voting',
  input: { value: yes },
  async run({ write, actor, subject, input: { value: isVoted } }) {
    await castVote(write, { kind: 'answer', id: subject.id }, personOf(actor).id, isVoted)
    return { id: subject.id, question: questionOf(subject), isVoted }
  },
})
