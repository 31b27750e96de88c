import { z } from 'zod'
import { choice, flag, line, markdown, optional, optionalFlag, titleLine } from '../../kernel/fields.ts'
import type { RenderedText } from '../../text/markdown.ts'
import { countWritten, mentionedIn } from '../../text/mentions.ts'
import { hasSpacedTag, isTag, TAGS, tagNameOf, typedTags } from '../../text/tag-name.ts'
import { type FormState, textForm } from '../../web/form.ts'

export const TITLE = { min: 3, max: 150 } as const
export const POST_BODY = { min: 1, max: 30_000 } as const
export const REPLY_BODY = { min: 1, max: 5000 } as const
export const REASON = { max: 200 } as const
export const MENTIONS = { most: 10 } as const

export const postBody = () => bodyOf(POST_BODY)
export const replyBody = () => bodyOf(REPLY_BODY)

const bodyOf = (limits: { readonly min: number; readonly max: number }) =>
  markdown({ ...limits, short: 'posts.body.short', long: 'posts.body.long' }).refine(hasFewMentions, {
    error: 'posts.body.mentions',
    params: { max: MENTIONS.most },
  })

/** Those in code count in the source alone. */
function hasFewMentions({ source, html }: RenderedText): boolean {
  return countWritten(source) <= MENTIONS.most || mentionedIn(html).length <= MENTIONS.most
}

export const editReason = () => optional(line({ min: 1, max: REASON.max }))

/** Tags as typed: with commas between, in any case, doubled ones once; spaces inside one become hyphens. */
export const tagList = (most: number, many: string) =>
  z
    .union([z.string(), z.array(z.string()).transform((names) => names.join(','))])
    .pipe(line({ min: 0, max: 1000, long: many }))
    .transform((value, context) => {
      const unique = [...new Set(typedTags(value).map(tagNameOf))]
      const wrong = unique.find((name) => !isTag(name))
      if (wrong !== undefined)
        context.addIssue({ code: 'custom', message: 'questions.tags.wrong', params: { tag: wrong } })
      if (unique.length > most) context.addIssue({ code: 'custom', message: many, params: { max: most } })
      return unique
    })
    .meta({ type: 'array', items: { type: 'string', maxLength: TAGS.max }, maxItems: most })

const tags = tagList(TAGS.most, 'questions.tags.many')

const lectureNumber = z
  .union([z.string(), z.number().transform(String)])
  .refine((value) => /^[1-9]\d{0,5}$/.test(value), { error: 'questions.lecture.unknown' })
  .transform(Number)
  .meta({ type: 'integer', minimum: 1 })

export const postTitle = () =>
  titleLine({ ...TITLE, short: 'questions.title.short', long: 'questions.title.long' })

const content = {
  title: postTitle(),
  body: postBody(),
  tags,
  category: optional(line({ min: 1, max: 80 })),
  lecture: optional(lectureNumber),
}

/** The box of a new post: hidden from classmates, if it is ticked. */
export const anonymous = flag
/** The second button of a reply: the question is resolved with it. */
export const resolve = flag
/** The version that an edit began with; null: it did not say, 0: it said no version. */
export const version = z
  .unknown()
  .transform((value) =>
    value === undefined || value === '' ? null : /^[1-9]\d{0,8}$/.test(String(value)) ? Number(value) : 0,
  )
  .meta({ type: 'integer', minimum: 1 })
/** Of a post that is edited: null leaves it as it is. */
export const naming = optionalFlag

/** The fields of a question. `category` is a slug, `lecture` its number in the course. */
export const asked = { ...content, audience: optional(choice(['course', 'staff'])), anonymous }
/** The ask form. `course` is a slug. */
export const questionForm = textForm({ course: optional(line({ min: 1, max: 80 })), ...asked })
export const edited = { ...content, anonymous: naming, reason: editReason(), version }

/** The message after a question is saved: it says so when a tag is kept under another name than was typed. */
export function flashOf(done: 'posted' | 'edited', typed: FormState['typed']): string {
  return `questions.flash.${done}${hasSpacedTag(typed.tags ?? '') ? 'WithHyphens' : ''}`
}
