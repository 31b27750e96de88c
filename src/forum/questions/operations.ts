import type { Audience } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { choice, optionalFlag } from '../../kernel/fields.ts'
import { type Doing, operation } from '../../kernel/operation.ts'
import { forbidden, Problem } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { accountOf } from '../../kernel/rights/rights.ts'
import { course } from '../courses/find-course.ts'
import { placeBelow, typedMentions } from '../mentions/typed.ts'
import { questionOf } from '../posts/find.ts'
import { asked, POST_BODY } from '../posts/form.ts'
import { noteHeld, whyHeld } from '../posts/hold.ts'
import { type LockedPost, question } from '../posts/lock.ts'
import { countNewcomer, fewLinks } from '../posts/rules.ts'
import { doubtedBelow } from '../posts/spam-service.ts'
import { askedIn } from './asked-in.ts'
import { findOpenness, isKeptPrivate, mayHide, openQuestion, withdrawQuestion } from './audience.ts'
import { writeQuestion } from './commands.ts'

export const askQuestion = operation({
  name: 'ask-question',
  right: 'ask',
  find: course,
  once: true,
  input: asked,
  completed: typedMentions(placeBelow.course, POST_BODY.max),
  doubts: doubtedBelow('question', placeBelow.course),
  rules: [fewLinks],
  events: ['post-held'],
  async run(doing) {
    const { write, actor, subject, input } = doing
    const author = personOf(actor)
    const { title, body, tags } = input
    const place = await askedIn(write, author, subject.id, input)
    const written = {
      courseId: subject.id,
      authorId: author.id,
      title,
      body,
      tags,
      ...place,
      isMember: subject.id in accountOf(author).roles,
      heldFor: await whyHeld(doing, { table: 'questions', title, tags, html: body.html }),
    }
    const id = await writeQuestion(write, written)
    const { audience, heldFor } = written
    await noteHeld(doing, { kind: 'question', id }, heldFor)
    await countNewcomer(write, author, subject.id)
    return { id, title, audience, isHeld: heldFor !== null, course: { id: subject.id, slug: subject.slug } }
  },
})

/**
 * Keeps a question to the staff, or shares it with the course. `anonymous`: with the name or without it; left out: as it is.
 */
export const questionAudience = operation({
  name: 'change-audience',
  right: 'withdraw',
  find: question,
  limit: 'voting',
  input: { audience: choice(['course', 'staff']), anonymous: optionalFlag },
  events: ['question-withdrawn'],
  async run(doing) {
    const { audience, anonymous } = doing.input
    await changeAudience(doing, audience, anonymous)
    return { ...questionOf(doing.subject), audience }
  },
})

/** The same within another write, of those who may `withdraw` it. */
export async function changeAudience(
  { write, actor, subject, note }: Doing<unknown, LockedPost, 'question-withdrawn'>,
  audience: Audience,
  anonymous: boolean | null,
): Promise<void> {
  const person = personOf(actor)
  const { id, courseId, authorId } = subject
  const now = await findOpenness(write, id)
  if (audience === 'staff') {
    const isOwn = person.id === authorId
    if (isOwn && !now.allowsPrivate && now.audience === 'course') throw forbidden()
    await withdrawQuestion(write, id)
    if (!isOwn) note('question-withdrawn', { id, authorId })
  } else {
    requireRight(person, 'open', subject)
    if (await isKeptPrivate(write, id)) throw new Problem('keptPrivate')
    const hides = anonymous === true && !now.isAnonymous
    if (hides && (now.wasOpen || !mayHide(person, { ...now, id: courseId }))) throw new Problem('invalid')
    await openQuestion(write, id, anonymous)
  }
}
