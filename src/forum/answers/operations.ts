import { personOf } from '../../kernel/actor.ts'
import { operation } from '../../kernel/operation.ts'
import { accountOf } from '../../kernel/rights/rights.ts'
import { placeBelow, typedMentions } from '../mentions/typed.ts'
import { openToAnswers } from '../posts/closing.ts'
import { questionOf } from '../posts/find.ts'
import { anonymous, POST_BODY, postBody } from '../posts/form.ts'
import { noteHeld, whyHeld } from '../posts/hold.ts'
import { question, requireShown } from '../posts/lock.ts'
import { countNewcomer, fewLinks, permittedName } from '../posts/rules.ts'
import { doubtedBelow } from '../posts/spam-service.ts'
import { writeAnswer } from '../posts/text.ts'

export const postAnswer = operation({
  name: 'post-answer',
  right: 'answer',
  find: question,
  once: true,
  input: { body: postBody(), anonymous },
  completed: typedMentions(placeBelow.questions, POST_BODY.max),
  doubts: doubtedBelow('answer', placeBelow.questions),
  rules: [openToAnswers, fewLinks, permittedName],
  events: ['post-held'],
  async run(doing) {
    const { write, actor, subject, input } = doing
    const author = personOf(actor)
    const { body, anonymous: isAnonymous } = input
    const heldFor = await whyHeld(doing, { table: 'answers', html: body.html })
    const id = await writeAnswer(write, requireShown(subject.question), {
      authorId: author.id,
      body,
      isAnonymous,
      isMember: subject.courseId in accountOf(author).roles,
      heldFor,
    })
    await noteHeld(doing, { kind: 'answer', id }, heldFor)
    await countNewcomer(write, author, subject.courseId)
    return { id, question: questionOf(subject), isHeld: heldFor !== null }
  },
})
