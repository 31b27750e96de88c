import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { seenAuthor, seenAuthorOf } from '../../forum/authors/byline.ts'
import type { AnswerRecord, ReplyRecord } from '../../forum/posts/records.ts'
import { questionOf } from '../../forum/reading/post-resource.ts'
import type { QuestionRecord } from '../../forum/reading/records.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { mentionsAsNames } from '../../text/mentions.ts'
import { translatorFor } from '../../web/appearance.ts'
import { absolute } from '../../web/json/endpoint.ts'
import { answerPath, questionPath, replyPath } from '../../web/paths.ts'

/** What is around a text by people: whose it is, and where. The text itself is in `quoted`, and nowhere else. */
const around = {
  id: z.int(),
  url: z.string(),
  author: z.object({
    name: z.string(),
    role: z.enum(['learner', 'assistant', 'instructor']).nullable(),
    is_asker: z.boolean(),
  }),
  written_at: z.string(),
  edited_at: z.string().nullable(),
  quoted: z.object({ text: z.string(), is_cut: z.boolean() }),
}
export const replySchema = z.object({ kind: z.literal('reply'), ...around })
export const answerSchema = z.object({
  kind: z.literal('answer'),
  ...around,
  votes: z.int(),
  is_accepted: z.boolean(),
  is_endorsed_by_staff: z.boolean(),
  replies: z.array(replySchema),
})
const about = {
  course: z.string(),
  lecture: z.int().nullable(),
  tags: z.array(z.string()),
  votes: z.int(),
  answers_count: z.int(),
  is_resolved: z.boolean(),
  has_accepted_answer: z.boolean(),
}
const titled = z.object({ title: z.string(), ...around.quoted.shape })
export const hitSchema = z.object({ kind: z.literal('question'), ...around, ...about, quoted: titled })
export const questionSchema = hitSchema.extend({ replies: z.array(replySchema) })

/** Whoever reads. */
export interface Reading {
  readonly request: FastifyRequest
  readonly viewer: Actor
}

type PostRecord = QuestionRecord | AnswerRecord | ReplyRecord

function post(
  { request, viewer }: Reading,
  record: PostRecord,
  asker: string | null,
  path: string,
  bytes: number,
) {
  const { name, role } = seenAuthor({ t: translatorFor(request), viewer }, record, record.course_id)
  const { text, isCut } = cut(mentionsAsNames(record.body), bytes)
  return {
    id: record.id,
    url: absolute(request, path),
    author: { name, role, is_asker: seenAuthorOf(viewer, record, record.course_id) === asker },
    written_at: record.written_at.toISOString(),
    edited_at: record.edited_at?.toISOString() ?? null,
    quoted: { text, is_cut: isCut },
  }
}

/** A question as a hit, or with all of its text. */
export function quotedQuestion(reading: Reading, record: QuestionRecord, bytes: number) {
  const asker = askerOf(reading, record)
  const { quoted, ...around } = post(reading, record, asker, questionPath(record), bytes)
  return {
    ...{ kind: 'question' as const, ...around, course: record.course_slug, lecture: record.lecture_position },
    ...{ tags: record.tags.map(({ name }) => name), votes: record.votes_count },
    ...{ answers_count: record.answers_count, is_resolved: record.status === 'resolved' },
    has_accepted_answer: record.accepted_answer_id !== null,
    quoted: { title: record.title, ...quoted },
  }
}

export function quotedAnswer(reading: Reading, record: AnswerRecord, asker: string, bytes: number) {
  const path = answerPath(questionOf(record), record.id)
  return {
    ...{ kind: 'answer' as const, ...post(reading, record, asker, path, bytes), votes: record.votes_count },
    ...{ is_accepted: record.is_accepted, is_endorsed_by_staff: record.is_endorsed },
  }
}

export function quotedReply(reading: Reading, record: ReplyRecord, asker: string, bytes: number) {
  const path = replyPath(questionOf(record), record.id)
  return { kind: 'reply' as const, ...post(reading, record, asker, path, bytes) }
}

/** Who asked, as readers know them. */
export const askerOf = ({ viewer }: Reading, record: QuestionRecord) =>
  seenAuthorOf(viewer, record, record.course_id)

/** Bytes that a whole answer may have, and of these what is around the data of a tool. */
export const MAX_ANSWER_BYTES = 64 * 1024
const AROUND = 2048

/** What a value takes in an answer, which has it twice: as data, and as the text of that. */
function bytesOf(value: unknown): number {
  const text = JSON.stringify(value)
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text))
}

/** The beginning of a text, as long as fits. */
export function cut(text: string, bytes: number): { readonly text: string; readonly isCut: boolean } {
  let kept = text
  for (let taken = bytesOf(kept); taken > bytes; taken = bytesOf(kept))
    kept = kept.slice(0, Math.floor((kept.length * bytes * 0.95) / taken)).replace(/[\uD800-\uDBFF]$/, '')
  return { text: kept, isCut: kept.length < text.length }
}

/** Room in one answer, which what matters most takes first. */
export class Room {
  private left: number

  constructor(begun: unknown) {
    this.left = MAX_ANSWER_BYTES - AROUND - bytesOf(begun)
  }

  /** Those of the first that fit. */
  fitting<Item>(items: readonly Item[]): Item[] {
    const beyond = items.findIndex((item) => !this.takes(item))
    return beyond === -1 ? [...items] : items.slice(0, beyond)
  }

  takes(item: unknown): boolean {
    const bytes = bytesOf(item)
    if (bytes > this.left) return false
    this.left -= bytes
    return true
  }
}
