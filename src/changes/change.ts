import { z } from 'zod'

/**
 * What a committed transaction changed, as db/migrations/013_changes.sql tells it on channel `changes`. 'figures': nothing
 * but votes, views and followers.
 */
export type Change = QuestionChange | PersonChange | CourseChange | TagChange | Everything
export type QuestionChange = Readonly<z.infer<typeof question>>
export type PersonChange = Readonly<z.infer<typeof person>>
export type CourseChange = Readonly<z.infer<typeof course>>
export type TagChange = Readonly<z.infer<typeof tag>>
/** A load of many rows, or a message too long to send. */
export type Everything = Readonly<z.infer<typeof everything>>

const id = z.number().int()

/**
 * Where the question stood as the change was told: what lists go by. Times in milliseconds since 1970. Of a vote for an answer,
 * or somebody who follows, it may be told after a change that was made later, as neither waits for the question.
 */
const question = z.object({
  question: id,
  change: z.enum(['posts', 'figures']),
  course: id,
  lecture: id.nullable(),
  author: id,
  state: z.number().int(),
  isDeleted: z.boolean(),
  writtenAt: z.number(),
  activeAt: z.number(),
  votes: z.number(),
  views: z.number(),
  answers: z.number(),
  tags: z.array(id),
  /** Who wrote the question or an answer to it. */
  writers: z.array(id),
})

/** Their name; the number of questions beside it; whatever else a session or a profile goes by. */
const person = z.object({ person: id, change: z.enum(['name', 'asked', 'access']) })

/** The course itself, with lectures, categories and staff; or only its figures. */
const course = z.object({ course: id, change: z.enum(['course', 'counts']) })

const tag = z.object({ tag: id })
const everything = z.object({ all: z.literal(true) })

const message = z.union([question, person, course, tag, everything])

/** Reads a message of the channel. What cannot be read may have changed anything. */
export function readChange(text: string): Change {
  try {
    return message.parse(JSON.parse(text))
  } catch {
    return { all: true }
  }
}
