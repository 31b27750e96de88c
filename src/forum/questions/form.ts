import { z } from 'zod'
import { renderMarkdown } from '../../text/markdown.ts'
import { countWritten, mentionedIn } from '../../text/mentions.ts'
import { hasSpacedTag, isTag, TAGS, tagNameOf, typedTags } from '../../text/tag-name.ts'
import { choice, line, optional, text } from '../../web/fields.ts'
import { type FormState, form, type ValuesOf } from '../../web/form.ts'

export const TITLE = { min: 3, max: 150 } as const
export const POST_BODY = { min: 1, max: 30_000 } as const
export const REPLY_BODY = { min: 1, max: 5000 } as const
export const REASON = { max: 200 } as const
/** People whom one post may mention. */
export const MENTIONS = { most: 10 } as const

/** The text of a question or an answer. */
export const postBody = () => bodyOf(POST_BODY)
export const replyBody = () => bodyOf(REPLY_BODY)

const bodyOf = (limits: { readonly min: number; readonly max: number }) =>
  text({ ...limits, short: 'posts.body.short', long: 'posts.body.long' }).refine(hasFewMentions, {
    error: 'posts.body.mentions',
    params: { max: MENTIONS.most },
  })

/** Those in code count in the source alone: rendering tells, where it matters. */
function hasFewMentions(body: string): boolean {
  return countWritten(body) <= MENTIONS.most || mentionedIn(renderMarkdown(body)).length <= MENTIONS.most
}

/** Why a post is edited, for its history. */
export const editReason = () => optional(line({ min: 1, max: REASON.max }))

/** Tags as typed: with commas between, in any case, doubled ones once; spaces inside one become hyphens. */
const tags = line({ min: 0, max: 1000, long: 'questions.tags.many' }).transform((value, context) => {
  const unique = [...new Set(typedTags(value).map(tagNameOf))]
  const wrong = unique.find((name) => !isTag(name))
  if (wrong !== undefined)
    context.addIssue({ code: 'custom', message: 'questions.tags.wrong', params: { tag: wrong } })
  if (unique.length > TAGS.most) {
    context.addIssue({ code: 'custom', message: 'questions.tags.many', params: { max: TAGS.most } })
  }
  return unique
})

const lectureNumber = z
  .string()
  .refine((value) => /^[1-9]\d{0,5}$/.test(value), { error: 'questions.lecture.unknown' })
  .transform(Number)

/** The title of a question, or of what staff tell. */
export const postTitle = () =>
  line({ ...TITLE, short: 'questions.title.short', long: 'questions.title.long' })

const content = {
  title: postTitle(),
  body: postBody(),
  tags,
  category: optional(line({ min: 1, max: 80 })),
  lecture: optional(lectureNumber),
}

const yesOrNo = optional(choice(['0', '1']))
/** The box of a new post: hidden from classmates, if it is ticked. */
export const anonymous = yesOrNo.transform((value) => value === '1')
/** The second button of a reply: the question is resolved with it. */
export const resolve = yesOrNo.transform((value) => value === '1')
/** Of a post that is edited: null leaves it as it is. */
export const naming = yesOrNo.transform((value) => (value === null ? null : value === '1'))

/** The ask form. `course` is a slug, `category` a slug, `lecture` its number in the course. */
export const questionForm = form({
  course: optional(line({ min: 1, max: 80 })),
  ...content,
  audience: optional(choice(['course', 'staff'])),
  anonymous,
})
/** The edit form: a question stays in its course. */
export const questionEditForm = form({ ...content, anonymous: naming, reason: editReason() })

/** What the edit form gives. */
export type QuestionValues = ValuesOf<typeof questionEditForm>

/** The message after a question is saved: it says so when a tag is kept under another name than was typed. */
export function flashOf(done: 'posted' | 'edited', typed: FormState['typed']): string {
  return `questions.flash.${done}${hasSpacedTag(typed.tags ?? '') ? 'WithHyphens' : ''}`
}
