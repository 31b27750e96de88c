import { z } from 'zod'

/** Goes up when a reader of before would misread what a writer of now says. */
export const FORMAT = { name: 'handup-exchange', version: 1 } as const

/** Of votes and views: more of them are added here. */
export const MAX_COUNT = 1_000_000_000
/** Of a place, a version or a stand-in name: the next one has to have a number, too. */
const MAX_ORDINAL = 1_000_000
const DAY_MS = 24 * 60 * 60 * 1000

const isTime = (text: string) => Date.parse(text) >= 0 && /(?:Z|[+-](?:0\d|1[0-4]):\d\d)$/i.test(text)
/** Whether it isn't later than tomorrow, however clocks differ. @param at in milliseconds */
export const isPast = (at: number): boolean => at < Date.now() + DAY_MS

/** What names something: a database keeps neither control characters nor half of a surrogate pair. */
export const isName = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text)
export const NO_NAME = 'it has characters that no id has'

/** Whether a role there is one of staff. It gives none here. */
export const isOfStaff = (role: string | null | undefined): boolean =>
  role === 'assistant' || role === 'instructor'

const id = z.string().min(1).max(200).refine(isName, NO_NAME).meta({ id: 'id' })
const time = z.iso
  .datetime({ offset: true })
  .refine(isTime, 'it is not a time from 1970 on')
  .meta({ id: 'time' })
/** When somebody wrote something: what is later than tomorrow would be the newest for years. */
const past = time.refine((text) => isPast(Date.parse(text)), 'it is in the future').meta({ id: 'past' })
const text = z.string().max(4_000_000)
const line = z.string().max(4_000)
const count = z.int().min(-MAX_COUNT).max(MAX_COUNT)
const ordinal = z.int().positive().max(MAX_ORDINAL)
/** Left out is the same as null, so that a converter writes only what its source knows. */
const known = <Value extends z.ZodType>(value: Value) => value.nullable().default(null)

/**
 * An author has no member that isn't listed, so that a reader can't overlook a word that hides the name. `number`: of the stand-in name in
 * the thread.
 */
const author = z
  .union([
    z.strictObject({ person: id }).describe('under the name'),
    z
      .strictObject({ person: id, anonymous: z.literal('classmates'), number: known(ordinal) })
      .describe('staff know who it is'),
    z
      .strictObject({ anonymous: z.literal('everyone'), number: known(ordinal) })
      .describe('nobody knows who it is'),
    z.strictObject({ former: line }).describe('an account that is gone'),
  ])
  .meta({ id: 'author', description: 'who wrote it, and who may know' })
export type Author = z.infer<typeof author>

const post = {
  id,
  author,
  body: text.describe('Markdown'),
  written_at: past,
  edited_at: known(past),
  editor: known(author),
  edit_reason: known(line),
  version: ordinal.default(1),
  addresses: z.array(id).max(5).describe('what addresses of the source call it, beside its id').default([]),
  state: z
    .enum(['shown', 'held(source)', 'hidden'])
    .describe('held(source): it waits for review; hidden: by moderators')
    .default('shown'),
}

const question = z.object({
  ...post,
  title: line,
  tags: z.array(line).max(100).default([]),
  category: known(id),
  lecture: known(id),
  visibility: z
    .enum(['course', 'private', 'private(source)'])
    .describe('private: its asker and staff; private(source): so the source says'),
  was_public: z.boolean().describe('false: private from its first moment').default(true),
  active_at: known(past),
  status: z.enum(['unresolved', 'resolved']).default('unresolved'),
  resolved_at: known(past),
  reopened_at: known(past),
  accepted_answer: known(id),
  duplicate: known(z.object({ of: id, by: known(id) })),
  closed: known(
    z.object({ at: past, reason: known(z.enum(['off-topic', 'solved-elsewhere', 'unclear', 'heated'])) }),
  ),
  pin: known(z.object({ until: time, by: known(id) })),
  votes: count.default(0),
  views: z.int().min(0).max(MAX_COUNT).default(0),
})

const answer = z.object({
  ...post,
  question: id,
  votes: count.default(0),
  endorsement: known(z.object({ at: past, by: known(id) })),
})

const reply = z.object({
  ...post,
  question: id,
  answer: known(id).describe('null: it is under the question'),
})

const version = z.object({
  post: z.object({ kind: z.enum(['question', 'answer', 'reply']), id }),
  version: ordinal,
  title: known(line),
  body: known(text).describe('null: redacted'),
  tags: known(z.array(line)),
  author,
  written_at: past,
  reason: known(line),
  redacted: known(z.object({ at: past, by: known(id) })),
})

const course = z.object({
  format: z.literal(FORMAT.name),
  version: z.literal(FORMAT.version),
  source: z.object({
    name: z.string().regex(/^[a-z]{1,32}$/),
    origin: known(z.string().min(1).max(500).refine(isName, NO_NAME)).describe(
      'which site and course of that kind; ids are unique in it',
    ),
  }),
  pseudonymous: z.boolean().default(false),
  slug: line,
  title: line,
  field: line.default(''),
  description: text.default(''),
  language: z.enum(['en', 'ko']).default('en'),
  time_zone: line.default('UTC'),
  is_public: z.boolean().default(false),
  allows_private: z.boolean().default(true),
  allows_anonymous: z.boolean().default(false),
  asking: z.enum(['everybody', 'members']).default('members'),
  accent: known(line),
  promise_hours: known(z.int().positive()),
  question_template: text.default(''),
  synonyms: text.default(''),
  asks_about_code: known(z.int().positive()).describe(
    'lines of code of an answer, with which learners are asked about it',
  ),
  hold: known(z.enum(['none', 'signals', 'newcomers', 'all'])).describe('which new posts wait for review'),
  agents: known(z.enum(['nobody', 'staff', 'readers'])).describe('no import opens a course to agents'),
  rules: known(z.object({ language: z.enum(['en', 'ko']), body: text })),
})

const person = z.object({
  // What begins so are those whom an export names without an id (imported-people.ts).
  id: id.refine((given) => !given.startsWith('~'), 'it begins with ~'),
  name: line,
  email: known(line).describe('confirmed there; only of authors'),
  role: known(z.enum(['learner', 'assistant', 'instructor'])).describe('there and then: gives no role here'),
  joined_at: known(past),
})

const file = z.object({
  id,
  kept: z
    .enum(['blob', 'url', 'missing'])
    .describe('blob: at `path` of the export; url: at `url`; missing: nowhere'),
  path: known(z.string().regex(/^files\/[\w-]{1,100}(?:\.[a-z0-9]{1,8})?$/)),
  url: known(z.url({ protocol: /^https?$/ })),
  alt: line.default(''),
})

/** Each file of an export with what a line of it is, in the order in which a reader needs them. */
export const LINES = {
  lectures: z.object({ id, position: ordinal, title: line }),
  categories: z.object({ id, slug: line, name: line, position: z.int().min(-MAX_ORDINAL).max(MAX_ORDINAL) }),
  tags: z.object({ name: line, description: line.default(''), aliases: z.array(line).max(1000).default([]) }),
  people: person,
  files: file,
  questions: question,
  answers: answer,
  replies: reply,
  versions: version,
  announcements: z.object({
    id,
    title: line,
    body: text,
    author,
    published_at: past,
    edited_at: known(past),
    version: ordinal.default(1),
    corrects: known(id),
  }),
  faq: z.object({
    id,
    position: z.int().positive(),
    question: known(id).describe('null: a text of its own'),
    title: known(line),
    body: known(text),
  }),
} as const

export type LineKind = keyof typeof LINES
export const LINE_KINDS = Object.keys(LINES) as LineKind[]
/** What a writer may write: what has a default may be left out. */
export type Written<Kind extends LineKind> = z.input<(typeof LINES)[Kind]>
export type Line<Kind extends LineKind> = z.output<(typeof LINES)[Kind]>

export const COURSE = course
export type ExchangedCourse = z.output<typeof course>

/** The JSON Schemas by file, as a writer needs them. */
export function jsonSchemas(): Readonly<Record<string, object>> {
  const schemas = {
    'course.json': course,
    ...Object.fromEntries(LINE_KINDS.map((kind) => [fileOf(kind), LINES[kind]])),
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      z.toJSONSchema(schema, {
        io: 'input',
        override: ({ jsonSchema }) => {
          // The format says it.
          if (jsonSchema.format !== undefined) delete jsonSchema.pattern
          if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
        },
      }),
    ]),
  )
}

export const fileOf = (kind: LineKind) => `${kind}.jsonl`
