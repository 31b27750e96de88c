import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { LANGUAGES, type Language } from '../../messages/language.ts'
import { isTimeZone } from '../../text/dates.ts'
import { isTag, TAGS, tagNameOf } from '../../text/tag-name.ts'

const FOLDER = join(import.meta.dirname, '../../../db/sample')

/** Text of at most `max` characters, trimmed and in NFC, the form in which the forum keeps all text. */
const text = (max: number, min = 1) =>
  z
    .string()
    .transform((typed) => typed.trim().normalize('NFC'))
    .pipe(z.string().min(min).max(max))

const account = z.strictObject({ name: text(50), email: z.email().lowercase() })
const tag = z.string().refine((name) => isTag(name) && tagNameOf(name) === name, {
  error: `must be 1 to ${TAGS.max} lower-case letters, digits, + # . -`,
})
const tags = z
  .array(tag)
  .max(TAGS.most)
  .refine((names) => new Set(names).size === names.length, 'a tag stands twice')
const votes = z
  .array(z.string())
  .refine((keys) => new Set(keys).size === keys.length, 'somebody votes twice')
  .default([])

const reply = z.strictObject({
  /** The key of a person of the course. */
  author: z.string(),
  /** Hours from writing to the moment of loading, so that the sample is never old. */
  hoursAgo: z.number().positive(),
  /** Markdown. */
  body: text(5_000),
})

/** What can be voted for and replied to. */
const post = reply.extend({ body: text(30_000), votes, replies: z.array(reply).default([]) })

const answer = post.extend({ isAccepted: z.boolean().default(false) })

const question = post
  .extend({
    title: text(150, 3),
    tags: tags.default([]),
    /** The position of a lecture; null: about the course as a whole. */
    lecture: z.int().positive().nullable().default(null),
    views: z.int().nonnegative(),
    isResolved: z.boolean().default(false),
    answers: z
      .array(answer)
      .refine((all) => all.filter((one) => one.isAccepted).length <= 1, 'more than one answer is accepted')
      .default([]),
  })
  .transform((fields) => ({
    ...fields,
    isResolved: fields.isResolved || fields.answers.some((one) => one.isAccepted),
  }))

/** Limits as the forum's forms and its database have them; en.yaml says how a file is written. */
const course = z
  .strictObject({
    slug: z
      .string()
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      .max(80),
    title: text(150),
    field: text(50),
    language: z.enum(LANGUAGES),
    timeZone: z.string().refine(isTimeZone, 'must be a time zone such as Asia/Seoul'),
    description: text(2000),
    /** Position to title. */
    lectures: z
      .record(z.string().regex(/^[1-9]\d{0,3}$/, 'must be a position, 1 or more'), text(150))
      .transform((titles) =>
        Object.entries(titles).map(([position, title]) => ({ position: Number(position), title })),
      ),
    /** What posts and votes call a person, to the person. */
    people: z
      .record(
        z.string().regex(/^[a-z]+$/, 'must be a key of lower-case letters'),
        account.extend({ role: z.enum(['instructor', 'assistant', 'learner']) }),
      )
      .transform((people) => Object.entries(people).map(([key, person]) => ({ key, ...person }))),
    /** Manages the forum; not a member of the course. */
    admin: account,
    questions: z.array(question),
  })
  .superRefine((read, context) => {
    checkTogether(read, (path, message) => context.addIssue({ code: 'custom', path: [...path], message }))
  })

/** A reply, or what questions and answers have of one. */
export type SamplePost = z.infer<typeof reply>
export type SampleQuestion = z.infer<typeof question>
export type SampleCourse = z.infer<typeof course>

/** The sample course in a language, people by their keys. Touches no database. */
export async function readSample(language: Language): Promise<SampleCourse> {
  const file = `${language}.yaml`
  return parseSample(await readFile(join(FOLDER, file), 'utf8'), file)
}

/** @throws Error in one line: the file, the path inside it, and what breaks a limit or contradicts the rest */
export function parseSample(yaml: string, file: string): SampleCourse {
  try {
    return course.parse(parse(yaml))
  } catch (error) {
    const issue = error instanceof z.ZodError ? error.issues[0] : undefined
    const reason =
      issue === undefined ? [String(error).split('\n')[0]] : [issue.path.join('.'), issue.message]
    throw new Error([file, ...reason].filter(Boolean).join(': '))
  }
}

type Path = readonly (string | number)[]
type Fault = (path: Path, message: string) => void

/** What no part of the file can know alone: addresses are each one person's, people and lectures exist, times rise. */
function checkTogether({ people, admin, lectures, questions }: SampleCourse, fault: Fault): void {
  const emails = [...people, admin].map(({ email }) => email)
  const twice = emails.find((email, index) => emails.indexOf(email) < index)
  if (twice !== undefined) fault(['people'], `${twice} stands twice`)
  const keys = new Set(people.map(({ key }) => key))
  checkOrder(questions, ['questions'], fault)
  for (const [index, asked] of questions.entries()) {
    const path = ['questions', index]
    if (asked.lecture !== null && !lectures.some(({ position }) => position === asked.lecture))
      fault([...path, 'lecture'], `the course has no lecture ${asked.lecture}`)
    checkPost(asked, keys, path, fault)
    checkOrder([asked, ...asked.answers], [...path, 'answers'], fault)
    for (const [at, given] of asked.answers.entries()) checkPost(given, keys, [...path, 'answers', at], fault)
  }
}

function checkPost(written: z.infer<typeof post>, keys: ReadonlySet<string>, path: Path, fault: Fault): void {
  const { author, replies } = written
  for (const key of [author, ...written.votes, ...replies.map((one) => one.author)])
    if (!keys.has(key)) fault(path, `the course has nobody called ${key}`)
  if (written.votes.includes(author)) fault([...path, 'votes'], `${author} votes on an own post`)
  checkOrder([written, ...replies], [...path, 'replies'], fault)
}

/** Posts in the order in which they stand; each must be later, that is fewer hours ago, than the one before. */
function checkOrder(posts: readonly SamplePost[], path: Path, fault: Fault): void {
  for (const [index, { author, hoursAgo }] of posts.entries()) {
    const before = posts[index - 1]?.hoursAgo ?? Number.POSITIVE_INFINITY
    if (hoursAgo >= before)
      fault(path, `${author}'s post of ${hoursAgo} hours ago stands after one of ${before} hours ago`)
  }
}
