import { documentVector, TERMS_VERSION } from '../../forum/search/document.ts'
import { RENDERER_VERSION } from '../../text/markdown.ts'
import { plainText } from '../../text/plain.ts'
import { rememberTerms } from '../../text/words/terms.ts'
import { copyText, timeText, type Value } from './copy-text.ts'
import type { Post, Thread, ThreadMaker } from './threads.ts'

const rememberedTermsOf = rememberTerms(300_000)

/** Tables that a chunk has rows for, in the order of copying, and their columns. */
export const COPIED = {
  questions: `id, course_id, category_id, lecture_id, author_id, title, body, body_html, renderer_version, status,
    accepted_answer_id, answers_count, votes_count, imported_votes_count, views_count, written_at, active_at,
    resolved_at`,
  answers: `id, question_id, author_id, body, body_html, renderer_version, votes_count, imported_votes_count, written_at`,
  replies: `id, question_id, answer_id, author_id, body, body_html, renderer_version, written_at`,
  question_tags: `question_id, position, tag_id, course_id, state, written_at, active_at, is_deleted`,
  search_documents: `question_id, course_id, state, terms, score, terms_version`,
} as const

export type CopiedTable = keyof typeof COPIED
/** The text for COPY of each table. */
export type Chunk = Readonly<Record<CopiedTable, string>>

/** The rows of the questions from number `from` to below `to`. */
export function makeChunk(maker: ThreadMaker, from: number, to: number): Chunk {
  const threads = maker.make(from, to)
  const byId = (one: Post, other: Post) => one.id - other.id
  return {
    questions: copyText(threads.map(questionRow)),
    answers: copyText(threads.flatMap(answerRows).toSorted(byFirst)),
    replies: copyText(
      threads
        .flatMap((thread) => thread.replies.toSorted(byId).map((reply) => replyRow(thread, reply)))
        .toSorted(byFirst),
    ),
    question_tags: copyText(threads.flatMap(tagRows)),
    search_documents: copyText(threads.map(documentRow)),
  }
}

const byFirst = (one: readonly Value[], other: readonly Value[]) => Number(one[0]) - Number(other[0])

function bodyOf({ body }: Post): Value[] {
  return [body.markdown, body.html, RENDERER_VERSION]
}

function questionRow(thread: Thread): Value[] {
  const { course, votes } = thread
  return [
    ...[
      thread.id,
      course.id,
      course.categoryId,
      thread.lectureId,
      thread.authorId,
      thread.title,
      ...bodyOf(thread),
    ],
    ...[statusOf(thread), thread.accepted?.id ?? null, thread.answers.length, votes, votes, thread.views],
    ...[timeText(thread.at), timeText(activeAt(thread)), resolvedAt(thread)],
  ]
}

function answerRows(thread: Thread): Value[][] {
  return thread.answers.map((answer) => [
    ...[
      answer.id,
      thread.id,
      answer.authorId,
      ...bodyOf(answer),
      answer.votes,
      answer.votes,
      timeText(answer.at),
    ],
  ])
}

function replyRow(thread: Thread, reply: Thread['replies'][number]): Value[] {
  return [reply.id, thread.id, reply.answer?.id ?? null, reply.authorId, ...bodyOf(reply), timeText(reply.at)]
}

/** With the columns that the trigger question_tags_take_over would set. */
function tagRows(thread: Thread): Value[][] {
  return thread.tags.map((tag, index) => [
    ...[
      thread.id,
      index + 1,
      tag.id,
      thread.course.id,
      stateOf(thread),
      timeText(thread.at),
      timeText(activeAt(thread)),
    ],
    false,
  ])
}

/** The document that indexNewQuestions (src/forum/search/index-question.ts) would write. */
function documentRow(thread: Thread): Value[] {
  const { accepted } = thread
  const others = thread.answers
    .filter((answer) => answer !== accepted)
    .toSorted((one, other) => other.votes - one.votes || one.id - other.id)
  const replies = thread.replies.toSorted((one, other) => one.id - other.id)
  const text = {
    title: thread.title,
    tags: thread.tags.map((tag) => tag.name),
    acceptedAnswer: accepted === null ? null : plainText(accepted.body.html),
    others: [thread, ...others, ...replies].map((post) => plainText(post.body.html)),
  }
  return [
    ...[thread.id, thread.course.id, stateOf(thread), documentVector(text, rememberedTermsOf)],
    ...[scoreOf(thread), TERMS_VERSION],
  ]
}

/** Like staticScore in src/forum/search/write-documents.ts. */
function scoreOf({ isResolved, answers, votes, views, at }: Thread): number {
  const state = isResolved ? 2 : answers.length > 0 ? 1 : 0
  const years = Math.max(at / 31_557_600_000 - 50, 0)
  return Math.fround(state + Math.log(1 + votes) + Math.log(1 + views) / 4 + years / 20)
}

function activeAt({ at, answers, replies }: Thread): number {
  return Math.max(at, ...answers.map((answer) => answer.at), ...replies.map((reply) => reply.at))
}

/** An hour after the accepted answer, or after the last word. */
function resolvedAt(thread: Thread): string | null {
  if (!thread.isResolved) return null
  return timeText((thread.accepted?.at ?? activeAt(thread)) + 3_600_000)
}

/** Like questions.state. */
function stateOf({ isResolved, answers }: Thread): number {
  return (isResolved ? 2 : 0) + (answers.length === 0 ? 1 : 0)
}

function statusOf(thread: Thread): string {
  return thread.isResolved ? 'resolved' : 'unresolved'
}
