import { type Doer, personOf } from '../../operations/actor.ts'
import { yes } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { Problem } from '../../operations/problem.ts'
import { accountOf, may } from '../../rights/rights.ts'
import { placeBelow, typedMentions } from '../mentions/typed.ts'
import { questionOf } from '../posts/find.ts'
import { anonymous, POST_BODY, postBody } from '../posts/form.ts'
import { requireShown } from '../posts/lock.ts'
import { countNewcomer, fewLinks, permittedName } from '../posts/rules.ts'
import { answer, type LockedPost, question } from '../posts/subjects.ts'
import { setAcceptance } from './acceptance.ts'
import { writeAnswer } from './commands.ts'
import { setEndorsement } from './endorsement.ts'

/** Posts an answer. @returns its id, and its question */
export const postAnswer = operation({
  name: 'post-answer',
  right: 'answer',
  find: question,
  once: true,
  input: { body: postBody(), anonymous },
  completed: typedMentions(placeBelow.questions, POST_BODY.max),
  rules: [openToAnswers, fewLinks, permittedName],
  async run({ write, actor, subject, input }) {
    const author = personOf(actor)
    const { body, anonymous: isAnonymous } = input
    const id = await writeAnswer(write, requireShown(subject.question), {
      authorId: author.id,
      body,
      isAnonymous,
      isMember: subject.courseId in accountOf(author).roles,
    })
    await countNewcomer(write, author, subject.courseId)
    return { id, question: questionOf(subject) }
  },
})

/** Staff answer what they closed. */
function openToAnswers({ actor, subject }: { readonly actor: Doer; readonly subject: LockedPost }): void {
  if (subject.question.isClosed && !may(personOf(actor), 'assign', subject)) throw new Problem('closed')
}

/** Accepts an answer, or takes that back. */
export const answerAcceptance = operation({
  name: 'accept-answer',
  right: 'accept',
  find: answer,
  limit: 'voting',
  input: { value: yes },
  async run({ write, actor, subject, input: { value: isAccepted } }) {
    const { id, questionId } = subject
    await setAcceptance(write, questionId, id, isAccepted, personOf(actor).id)
    return { id, question: questionOf(subject), isAccepted }
  },
})

/** Says that an answer is correct, and takes that back: staff's verdict, beside the asker's acceptance. */
export const answerEndorsement = operation({
  name: 'endorse-answer',
  right: 'endorse',
  find: answer,
  limit: 'voting',
  input: { value: yes },
  events: ['staff-decided'],
  async run({ write, actor, subject, input: { value: isEndorsed }, note }) {
    const { id, questionId } = subject
    await setEndorsement(write, questionId, id, isEndorsed ? personOf(actor).id : null)
    note('staff-decided', { act: isEndorsed ? 'endorse' : 'unendorse', questionId, answerId: id })
    return { id, question: questionOf(subject), isEndorsed }
  },
})
