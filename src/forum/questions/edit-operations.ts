import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { personOf } from '../../kernel/actor.ts'
import { operation } from '../../kernel/operation.ts'
import { EditedMeanwhile, notFound, Refused } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { askableCourse } from '../courses/choices.ts'
import { DEFAULT_CATEGORY } from '../courses/commands.ts'
import { endDraft } from '../drafts/draft.ts'
import { placeBelow, typedMentions } from '../mentions/typed.ts'
import { begunWith } from '../posts/editing.ts'
import { questionOf } from '../posts/find.ts'
import { asked, edited, POST_BODY } from '../posts/form.ts'
import { lookAgain } from '../posts/hold.ts'
import { question } from '../posts/lock.ts'
import { fewLinks } from '../posts/rules.ts'
import { findQuestionSource, namedAs } from '../posts/source.ts'
import { doubtedEdit } from '../posts/spam-service.ts'
import { tagsMeant } from '../tags/tagging.ts'
import { placeIn } from './asked-in.ts'
import { editQuestion as changeQuestion } from './commands.ts'
import { changeAudience } from './operations.ts'

/** Changes a question, and who reads it where `audience` says so. What changes nothing makes no version. @throws EditedMeanwhile */
export const editQuestion = operation({
  name: 'edit-question',
  right: 'edit',
  find: question,
  input: { ...edited, audience: asked.audience },
  completed: typedMentions(placeBelow.questions, POST_BODY.max),
  doubts: doubtedEdit('questions'),
  rules: [fewLinks],
  events: ['post-edited', 'question-withdrawn', 'post-held'],
  async run(doing) {
    const { write, actor, subject, note } = doing
    const person = personOf(actor)
    const { id, authorId } = subject
    const input = { ...doing.input, tags: await tagsMeant(write, subject.courseId, doing.input.tags) }
    const course = await askableCourse(write, person, subject.courseId)
    if (course === null) throw notFound()
    const { lectureId, categoryId, errors } = placeIn(course, input)
    if (errors.length > 0 || categoryId === null) throw new Refused(errors)
    const source = await findQuestionSource(write, id)
    const version = begunWith(input.version, source, person.id)
    const edit = { actorId: person.id, version, reason: input.reason }
    const { title, body, tags } = input
    const isAnonymous = namedAs(person, subject, source, input.anonymous)
    const content = { title, body, tags, categoryId, lectureId, isAnonymous }
    const isWished = isSame(source, input) && source.isAnonymous === isAnonymous
    const isTextKept = isWished && version === source.version
    if (isTextKept) await endDraft(write, person.id, `/questions/${id}/edit`, { title, body: body.source })
    else if ((await changeQuestion(write, id, content, edit)) === 'conflict' && !isWished)
      throw new EditedMeanwhile()
    else if (person.id !== authorId) note('post-edited', { kind: 'question', id, authorId })
    const audience = input.audience ?? subject.audience
    const isAudienceKept = audience === subject.audience
    if (!isAudienceKept) {
      requireRight(person, 'withdraw', subject)
      await changeAudience(doing, audience, null)
    }
    if (!isTextKept && person.id === authorId)
      await lookAgain(doing, { table: 'questions', id, title, tags, html: body.html })
    const isChanged = !(isTextKept && isAudienceKept)
    return { id, question: questionOf({ ...subject, title, audience }), isChanged }
  },
})

function isSame(
  source: Awaited<ReturnType<typeof findQuestionSource>>,
  { title, body, tags, category, lecture }: z.output<z.ZodObject<typeof edited>>,
): boolean {
  const wished = [title, body.source, tags, category ?? DEFAULT_CATEGORY.slug, lecture]
  return isDeepStrictEqual([source.title, source.body, source.tags, source.category, source.lecture], wished)
}
