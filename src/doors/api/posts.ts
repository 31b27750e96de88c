import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Database } from '../../database/schema.ts'
import { type AuthorRow, seenAuthor } from '../../forum/authors/byline.ts'
import { findAnswer, findQuestion, findReply } from '../../forum/posts/find.ts'
import {
  type AnswerRecord,
  answerRecords,
  type ReplyRecord,
  replyRecords,
} from '../../forum/posts/records.ts'
import { shownHtml } from '../../forum/questions/question-links.ts'
import { findQuestionRecord, type QuestionRecord } from '../../forum/reading/records.ts'
import { notFound } from '../../kernel/problem.ts'
import { type Actor, seesNames } from '../../kernel/rights/rights.ts'
import { mentionsAsNames } from '../../text/mentions.ts'
import { translatorFor } from '../../web/language.ts'
import { answerPath, personPath, questionPath, replyPath } from '../../web/paths.ts'
import { API, absolute, type Linked, type Links } from './answering.ts'
import type { Call } from './endpoint.ts'
import {
  type AnswerBody,
  answerSchema,
  type QuestionBody,
  questionSchema,
  type ReplyBody,
  replySchema,
} from './schemas/posts.ts'

export interface PostRecord extends AuthorRow {
  readonly id: number
  readonly body: string
  readonly body_html: string
  readonly version: number
  readonly written_at: Date
  readonly edited_at: Date | null
  readonly course_id: number
  readonly questions_count: number
}

export interface PostKind<Record extends PostRecord, Body> {
  readonly schema: z.ZodType
  /** @throws Problem 404 or 410 when it is not there, or not for the one who asks */
  read(call: Asking, id: number): Promise<Record>
  bodies(request: FastifyRequest, records: readonly Record[]): Promise<Linked<Body>[]>
}

type Asking = Pick<Call, 'request'>

/** A question, an answer or a reply of the address. @throws Problem 404 or 410 as its kind reads it */
export async function readPost<Record extends PostRecord, Body>(
  call: Asking,
  id: number,
  kind: PostKind<Record, Body>,
) {
  const record = await kind.read(call, id)
  const [one] = await kind.bodies(call.request, [record])
  if (one === undefined) throw new Error('a record without a body')
  const modifiedAt = record.edited_at ?? record.written_at
  return { kind: 'one', one, version: record.version, modifiedAt } as const
}

export const questionKind = { schema: questionSchema, read: readableQuestion, bodies: questionBodies }
export const answerKind = {
  schema: answerSchema,
  read: readableBelow(findAnswer, answerRecords),
  bodies: bodiesOf('answer', answerBody),
}
export const replyKind = {
  schema: replySchema,
  read: readableBelow(findReply, replyRecords),
  bodies: bodiesOf('reply', replyBody),
}

async function readableQuestion({ request }: Asking, id: number): Promise<QuestionRecord> {
  const { person, server } = request
  const record = await findQuestionRecord(server.db, person, id)
  if (record !== undefined) return record
  await findQuestion(server.db, person, id, 'read')
  throw notFound()
}

function readableBelow<Record>(find: typeof findAnswer, records: { readonly find: Finding<Record> }) {
  return async ({ request }: Asking, id: number): Promise<Record> => {
    const { person, server } = request
    await find(server.db, person, id, 'read')
    const record = await records.find(server.db, person, id)
    if (record === undefined) throw notFound()
    return record
  }
}

type Finding<Record> = (db: Database, viewer: Actor | null, id: number) => Promise<Record | undefined>

export async function questionBodies(
  request: FastifyRequest,
  records: readonly QuestionRecord[],
): Promise<Linked<QuestionBody>[]> {
  for (const { course_id: course } of records) request.rendering?.dependsOn(`course:${course}`)
  return bodiesOf('question', questionBody)(request, records)
}

function bodiesOf<Record extends PostRecord & { readonly question_id?: number }, Body>(
  kind: 'question' | 'answer' | 'reply',
  bodyOf: (request: FastifyRequest, record: Record, html: string) => Linked<Body>,
) {
  return async (request: FastifyRequest, records: readonly Record[]): Promise<Linked<Body>[]> => {
    const posts = records.map(({ id, question_id: questionId = id, body_html: html }) => ({
      kind,
      id,
      questionId,
      html,
    }))
    const htmls = await shownHtml(request, posts)
    for (const { questionId } of posts) request.rendering?.dependsOn(`question:${questionId}`)
    return records.map((record, index) => bodyOf(request, record, htmls[index] ?? ''))
  }
}

function questionBody(request: FastifyRequest, record: QuestionRecord, html: string): Linked<QuestionBody> {
  const path = questionPath(record)
  const body: QuestionBody = {
    ...postBody(request, record, html, path),
    title: record.title,
    status: record.status,
    course: record.course_slug,
    lecture: record.lecture_position,
    category: record.category_slug,
    field: record.field || null,
    tags: record.tags.map(({ name }) => name),
    audience: record.audience,
    answers_count: record.answers_count,
    votes_count: record.votes_count,
    views_count: record.views_count,
    accepted_answer: record.accepted_answer_id,
    duplicate_of: record.duplicate_of,
  }
  const self = `${API}/questions/${record.id}`
  const course = `${API}/courses/${encodeURIComponent(record.course_slug)}`
  const links = { self, html: path, course, answers: `${self}/answers`, replies: `${self}/replies` }
  return { body, links: withAuthor(links, body) }
}

function answerBody(request: FastifyRequest, record: AnswerRecord, html: string): Linked<AnswerBody> {
  const body: AnswerBody = {
    ...postBody(request, record, html, answerPath(questionOf(record), record.id)),
    question: record.question_id,
    votes_count: record.votes_count,
    is_accepted: record.is_accepted,
    is_endorsed: record.is_endorsed,
    replies_count: record.replies_count,
  }
  const self = `${API}/answers/${record.id}`
  const question = `${API}/questions/${record.question_id}`
  return { body, links: withAuthor({ self, html: body.url, question, replies: `${self}/replies` }, body) }
}

function replyBody(request: FastifyRequest, record: ReplyRecord, html: string): Linked<ReplyBody> {
  const body: ReplyBody = {
    ...postBody(request, record, html, replyPath(questionOf(record), record.id)),
    question: record.question_id,
    answer: record.answer_id,
    is_asker: isToldAsAsker(request.person, record),
  }
  const question = `${API}/questions/${record.question_id}`
  const answer: Links = record.answer_id === null ? {} : { answer: `${API}/answers/${record.answer_id}` }
  const links = { self: `${API}/replies/${record.id}`, html: body.url, question, ...answer }
  return { body, links: withAuthor(links, body) }
}

function postBody(request: FastifyRequest, record: PostRecord, html: string, path: string) {
  const viewer = request.person
  const author = seenAuthor({ t: translatorFor(request), viewer }, record, record.course_id)
  if (author.id !== null) request.rendering?.dependsOn(`person:${author.id}`)
  const maySend = viewer !== null && (viewer.id === record.author_id || seesNames(viewer, record.course_id))
  return {
    id: record.id,
    // Ids of people are in the source of those alone who can send it back: of others, numbers would tell whose they are.
    body: maySend ? record.body : mentionsAsNames(record.body),
    body_html: html,
    author: {
      id: author.id,
      name: author.name,
      role: author.role,
      stand_in: author.standIn,
      questions_count: author.id === null ? null : record.questions_count,
    },
    is_anonymous: record.is_anonymous,
    written_at: record.written_at.toISOString(),
    edited_at: record.edited_at?.toISOString() ?? null,
    version: record.version,
    url: absolute(request, path),
  }
}

/** A deleted question shows no title, in its address either. */
function questionOf(record: AnswerRecord | ReplyRecord) {
  const { question_id: id, audience } = record
  return { id, audience, title: record.question_deleted_at === null ? record.question_title : '' }
}

/** Under the name, or both without it; staff see who it is. */
function isToldAsAsker(viewer: Actor | null, record: ReplyRecord): boolean {
  if (record.author_id !== record.asker_id) return false
  return record.is_anonymous === record.is_asker_anonymous || seesNames(viewer, record.course_id)
}

function withAuthor(links: Links, { author: { id, name } }: { author: QuestionBody['author'] }): Links {
  if (id === null) return links
  return { ...links, author: `${API}/people/${id}`, profile: personPath({ id, displayName: name }) }
}
