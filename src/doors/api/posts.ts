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
import { API, absolute, type Call, type Item, type Links } from '../../web/json/endpoint.ts'
import { snaked } from '../../web/json/resource.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { answerPath, personPath, questionPath, replyPath } from '../../web/paths.ts'
import { answerSchema, questionSchema, replySchema } from './schemas/posts.ts'

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

export interface PostKind<Record extends PostRecord> {
  readonly schema: z.ZodObject
  /** @throws Problem 404 or 410 when it is not there, or not for the one who asks */
  read(call: Asking, id: number): Promise<Record>
  items(request: FastifyRequest, records: readonly Record[]): Promise<Item[]>
}

type Asking = Pick<Call, 'request'>

/** A question, an answer or a reply. @throws Problem 404 or 410 as its kind reads it */
export async function readPost<Record extends PostRecord, Row>(
  call: Asking,
  id: number,
  kind: Pick<PostKind<Record>, 'read'> & {
    items(request: FastifyRequest, records: Record[]): Promise<Row[]>
  },
) {
  const [item] = await kind.items(call.request, [await kind.read(call, id)])
  if (item === undefined) throw new Error('a record without a resource')
  return item
}

export const questionKind = { schema: questionSchema, read: readableQuestion, items: questionItems }
export const answerKind = {
  schema: answerSchema,
  read: readableBelow(findAnswer, answerRecords),
  items: itemsOf('answer', answerItem),
}
export const replyKind = {
  schema: replySchema,
  read: readableBelow(findReply, replyRecords),
  items: itemsOf('reply', replyItem),
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

export async function questionItems(request: FastifyRequest, records: readonly QuestionRecord[]) {
  for (const { course_id: course } of records) request.rendering?.dependsOn(`course:${course}`)
  return itemsOf('question', questionItem)(request, records)
}

function itemsOf<Record extends PostRecord & { readonly question_id?: number }, Row>(
  kind: 'question' | 'answer' | 'reply',
  itemOf: (request: FastifyRequest, record: Record, html: string) => Row,
) {
  return async (request: FastifyRequest, records: readonly Record[]): Promise<Row[]> => {
    const posts = records.map(({ id, question_id: questionId = id, body_html: html }) => ({
      kind,
      id,
      questionId,
      html,
    }))
    const htmls = await shownHtml(contextOf(request), posts)
    for (const { questionId } of posts) request.rendering?.dependsOn(`question:${questionId}`)
    return records.map((record, index) => itemOf(request, record, htmls[index] ?? ''))
  }
}

function questionItem(request: FastifyRequest, record: QuestionRecord, html: string) {
  const { course_slug: course } = record
  const self = `${API}/questions/${record.id}`
  const links = {
    ...{ self, html: questionPath(record), course: `${API}/courses/${encodeURIComponent(course)}` },
    ...{ answers: `${self}/answers`, replies: `${self}/replies` },
  }
  return {
    ...postItem(request, record, html, links),
    course,
    lecture: record.lecture_position,
    category: record.category_slug,
    field: record.field || null,
    tags: record.tags.map(({ name }) => name),
    accepted_answer: record.accepted_answer_id,
  }
}

function answerItem(request: FastifyRequest, record: AnswerRecord, html: string) {
  const self = `${API}/answers/${record.id}`
  const question = `${API}/questions/${record.question_id}`
  const links = {
    self,
    html: answerPath(questionOf(record), record.id),
    question,
    replies: `${self}/replies`,
  }
  return { ...postItem(request, record, html, links), question: record.question_id }
}

function replyItem(request: FastifyRequest, record: ReplyRecord, html: string) {
  const { id, question_id: question, answer_id: answer } = record
  const links = {
    ...{ self: `${API}/replies/${id}`, html: replyPath(questionOf(record), id) },
    question: `${API}/questions/${question}`,
    ...(answer !== null && { answer: `${API}/answers/${answer}` }),
  }
  const isAsker = isToldAsAsker(request.person, record)
  return { ...postItem(request, record, html, links), question, answer, is_asker: isAsker }
}

/** What is common to all: the record, with the author and the text as the one who asks may know them. */
function postItem<Record extends PostRecord>(
  request: FastifyRequest,
  record: Record,
  html: string,
  links: Links & { readonly html: string },
) {
  const viewer = request.person
  const author = seenAuthor({ t: translatorFor(request), viewer }, record, record.course_id)
  const { id, name } = author
  if (id !== null) request.rendering?.dependsOn(`person:${id}`)
  const profile =
    id === null ? {} : { author: `${API}/people/${id}`, profile: personPath({ id, displayName: name }) }
  const maySend = viewer !== null && (viewer.id === record.author_id || seesNames(viewer, record.course_id))
  return {
    ...record,
    // Ids of people are in the source of those alone who can send it back: of others, numbers would tell whose they are.
    body: maySend ? record.body : mentionsAsNames(record.body),
    body_html: html,
    author: { ...snaked(author), questions_count: id === null ? null : record.questions_count },
    url: absolute(request, links.html),
    links: { ...links, ...profile },
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
