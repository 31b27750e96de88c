import { z } from 'zod'
import { SampleError, type SamplePost, type SampleQuestion } from './sample-course.ts'
import { check, readYaml, textOf } from './sample-parts.ts'

/** Limits as the forum's forms and its database have them. */
const questionFields = z.strictObject({
  title: textOf(150, 3),
  author: z.string(),
  hours_ago: z.number().positive(),
  lecture: z.int().positive().nullable().default(null),
  tags: z
    .array(
      z
        .string()
        .regex(/^[\p{Ll}\p{Lo}\p{N}+#.-]{1,32}$/u, 'must be 1 to 32 lower-case letters, digits, + # . -'),
    )
    .max(5)
    .refine((tags) => new Set(tags).size === tags.length, 'a tag stands twice')
    .default([]),
  views: z.int().nonnegative(),
  votes: z.array(z.string()).default([]),
  resolved: z.boolean().default(false),
})

const replyFields = z.strictObject({ by: z.string(), hours_ago: z.number().positive() })
const answerFields = replyFields.extend({
  votes: z.array(z.string()).default([]),
  accepted: z.boolean().default(false),
})

const postBody = textOf(30_000)
const replyBody = textOf(5_000)

/** The fields between two lines of ---, and all that follows. */
const FRONT_MATTER = /^---\n([\s\S]*?\n)---\n([\s\S]*)$/

/** A line such as `--- answer by: mara, hours_ago: 24`; a diff's `--- a/file` is none. */
const DIVIDER = /^--- *(\w+)(?: +(.*))?$/m

/**
 * One question with its answers and replies, from a file whose form course.yaml explains.
 * That people and lectures exist and times are in order is checked with the course, not here.
 * @param file named in the message when something is wrong
 * @throws SampleError
 */
export function parseQuestionFile(content: string, file: string): SampleQuestion {
  const [, frontMatter, rest] = FRONT_MATTER.exec(content.replace(/\r\n?/g, '\n')) ?? []
  if (frontMatter === undefined || rest === undefined) {
    throw new SampleError(`${file}: must begin with the question's fields between two lines of ---`)
  }
  const { author, hours_ago, resolved, ...fields } = readYaml(frontMatter, questionFields, file)
  const [body = '', ...sections] = rest.split(DIVIDER)
  const { answers, replies } = readThread(sections, file)
  return {
    ...fields,
    file,
    author,
    hoursAgo: hours_ago,
    body: check(body, postBody, file, 'question'),
    isResolved: resolved || answers.some((answer) => answer.isAccepted),
    answers,
    replies,
  }
}

/** An answer whose replies are still being read. */
interface OpenAnswer extends SamplePost {
  readonly votes: string[]
  readonly isAccepted: boolean
  readonly replies: SamplePost[]
}

/** Sections come in threes, as the divider splits them: kind, fields, body. */
function readThread(sections: readonly string[], file: string) {
  const answers: OpenAnswer[] = []
  const replies: SamplePost[] = []
  for (let index = 0; index < sections.length; index += 3) {
    const [kind = '', fields = '', body = ''] = sections.slice(index, index + 3)
    const place = `--- ${kind} ${fields}`
    if (kind === 'answer') answers.push(readAnswer(fields, body, file, place))
    else if (kind === 'reply') (answers.at(-1)?.replies ?? replies).push(readReply(fields, body, file, place))
    else throw new SampleError(`${file}: ${place}: must be an answer or a reply`)
  }
  return { answers, replies }
}

function readAnswer(fields: string, body: string, file: string, place: string): OpenAnswer {
  const { by, hours_ago, accepted, votes } = readYaml(`{ ${fields} }`, answerFields, file, place)
  const text = check(body, postBody, file, place)
  return { author: by, body: text, hoursAgo: hours_ago, votes, isAccepted: accepted, replies: [] }
}

function readReply(fields: string, body: string, file: string, place: string): SamplePost {
  const { by, hours_ago } = readYaml(`{ ${fields} }`, replyFields, file, place)
  return { author: by, body: check(body, replyBody, file, place), hoursAgo: hours_ago }
}
