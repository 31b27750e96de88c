import type { FastifyRequest } from 'fastify'
import type { AnswerRecord } from '../../forum/answers/records.ts'
import { type AuthorRow, seenAuthor } from '../../forum/authors/byline.ts'
import { shownHtml } from '../../forum/questions/question-links.ts'
import type { QuestionRecord } from '../../forum/questions/records.ts'
import type { ReplyRecord } from '../../forum/replies/records.ts'
import { type Actor, seesNames } from '../../rights/rights.ts'
import { mentionsAsNames } from '../../text/mentions.ts'
import { translatorFor } from '../../web/language.ts'
import { answerPath, personPath, questionPath, replyPath } from '../../web/paths.ts'
import { API, absolute, type Linked, type Links } from './answering.ts'
import type { AnswerBody, QuestionBody, ReplyBody } from './schemas/posts.ts'

/** Fields common to questions, answers and replies. */
interface PostRecord extends AuthorRow {
  readonly id: number
  readonly body: string
  readonly version: number
  readonly written_at: Date
  readonly edited_at: Date | null
  readonly course_id: number
  readonly questions_count: number
}

export async function questionBodies(
  request: FastifyRequest,
  records: readonly QuestionRecord[],
): Promise<Linked<QuestionBody>[]> {
  const htmls = await shownHtml(
    request,
    records.map(({ id, body_html: html }) => ({ kind: 'question', id, questionId: id, html })),
  )
  for (const { id, course_id: course } of records)
    request.rendering?.dependsOn(`question:${id}`, `course:${course}`)
  return records.map((record, index) => questionBody(request, record, htmls[index] ?? ''))
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

export async function answerBodies(
  request: FastifyRequest,
  records: readonly AnswerRecord[],
): Promise<Linked<AnswerBody>[]> {
  const htmls = await shownHtml(
    request,
    records.map(({ id, question_id: questionId, body_html: html }) => ({
      kind: 'answer',
      id,
      questionId,
      html,
    })),
  )
  for (const record of records) request.rendering?.dependsOn(`question:${record.question_id}`)
  return records.map((record, index) => {
    const body: AnswerBody = {
      ...postBody(request, record, htmls[index] ?? '', answerPath(questionOf(record), record.id)),
      question: record.question_id,
      votes_count: record.votes_count,
      is_accepted: record.is_accepted,
      is_endorsed: record.is_endorsed,
      replies_count: record.replies_count,
    }
    const self = `${API}/answers/${record.id}`
    const question = `${API}/questions/${record.question_id}`
    return { body, links: withAuthor({ self, html: body.url, question, replies: `${self}/replies` }, body) }
  })
}

export async function replyBodies(
  request: FastifyRequest,
  records: readonly ReplyRecord[],
): Promise<Linked<ReplyBody>[]> {
  const htmls = await shownHtml(
    request,
    records.map(({ id, question_id: questionId, body_html: html }) => ({
      kind: 'reply',
      id,
      questionId,
      html,
    })),
  )
  for (const record of records) request.rendering?.dependsOn(`question:${record.question_id}`)
  return records.map((record, index) => {
    const body: ReplyBody = {
      ...postBody(request, record, htmls[index] ?? '', replyPath(questionOf(record), record.id)),
      question: record.question_id,
      answer: record.answer_id,
      is_asker: isToldAsAsker(request.person, record),
    }
    const question = `${API}/questions/${record.question_id}`
    const answer: Links = record.answer_id === null ? {} : { answer: `${API}/answers/${record.answer_id}` }
    const links = { self: `${API}/replies/${record.id}`, html: body.url, question, ...answer }
    return { body, links: withAuthor(links, body) }
  })
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
