import type { FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { listDesk } from '../../forum/desk/queries.ts'
import { answerRecords, replyRecords } from '../../forum/posts/records.ts'
import { findQuestionRecord, questionRecordsOf } from '../../forum/reading/records.ts'
import { SEARCH } from '../../forum/search/index-question.ts'
import { parseQuery } from '../../forum/search/query.ts'
import { search } from '../../forum/search/search.ts'
import { findSimilar } from '../../forum/search/similar/similar.ts'
import { refusal } from '../../kernel/problem.ts'
import { letsAgentOf } from '../../kernel/rights/agents.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { type ReadableCourses, readableCourses, visibleTo } from '../../kernel/rights/visibility.ts'
import { absolute } from '../../web/json/endpoint.ts'
import { questionPath } from '../../web/paths.ts'
import { askerOf, quotedAnswer, quotedQuestion, quotedReply, type Reading, Room } from './quoted.ts'

/** Hits of a search, similar questions, and what waits, in one answer. */
const MOST_HITS = 10
const MOST_WAITING = 30
/** Posts below a question, and replies below each of them. */
const MOST_ANSWERS = 30
const MOST_REPLIES = 10
/** Bytes that one text takes of an answer: of a hit, of a question, of what is below it. */
const BYTES = { hit: 2000, question: 28_000, below: 9000 } as const

/** The courses that an agent may read. @param narrowed a condition on the alias `course` */
function coursesOf({ server, agent }: FastifyRequest, narrowed: RawBuilder<boolean> = sql`true`) {
  const person = agent?.person ?? null
  const lets = letsAgentOf(person, agent?.courseIds ?? null)
  return readableCourses(server.db, person, sql<boolean>`${lets} and ${narrowed}`)
}

/** One that is named, or all. @throws Refused where the agent may not read it, as where it isn't there */
async function namedCourses(request: FastifyRequest, slug: string | undefined): Promise<ReadableCourses> {
  if (slug === undefined) return coursesOf(request)
  const courses = await coursesOf(request, sql<boolean>`course.slug = ${slug}`)
  if (courses.ids.length === 0) throw refusal('course', 'agents.refused.course')
  return courses
}

/**
 * Reads what every learner of these courses may, and nothing that is the person's own or the staff's: no private question, nothing
 * held or hidden, no name behind a stand-in.
 */
function readingOf(request: FastifyRequest, { ids }: ReadableCourses): Reading {
  const roles = Object.fromEntries(ids.map((id): [number, Actor['roles'][number]] => [id, 'learner']))
  return { request, viewer: { id: 0, isAdmin: false, roles } }
}

export async function searchQuestions(
  request: FastifyRequest,
  { query: typed, course }: { readonly query: string; readonly course?: string | undefined },
) {
  const { db, jobs } = request.server
  await jobs.caughtUp(SEARCH)
  const query = parseQuery(typed)
  const readable = await namedCourses(request, course ?? query.filters.course ?? undefined)
  const reading = readingOf(request, readable)
  const { hits } = await search(db, reading.viewer, query, { readable, size: MOST_HITS })
  return questionsIn(reading, readable, hits)
}

export async function similarQuestions(
  request: FastifyRequest,
  { title, course }: { readonly title: string; readonly course?: string | undefined },
) {
  const { db, foundQuestions } = request.server
  const readable = await namedCourses(request, course)
  const reading = readingOf(request, readable)
  const courseId = course === undefined ? null : (readable.ids[0] ?? null)
  const to = { title, body: '', tags: [], courseId, exceptId: null }
  return questionsIn(reading, readable, await findSimilar(db, reading.viewer, to, readable, foundQuestions))
}

async function questionsIn(
  reading: Reading,
  { ids }: ReadableCourses,
  hits: readonly { readonly id: number }[],
) {
  const { server } = reading.request
  const found = await questionRecordsOf(
    server.db,
    reading.viewer,
    hits.map(({ id }) => id),
  )
  const questions = found
    .filter((record) => ids.includes(record.course_id))
    .map((record) => quotedQuestion(reading, record, BYTES.hit))
  return { questions: new Room({}).fitting(questions) }
}

export async function readQuestion(request: FastifyRequest, { id }: { readonly id: number }) {
  const { db } = request.server
  const courses = await coursesOf(
    request,
    sql<boolean>`course.id = (select course_id from questions where id = ${id})`,
  )
  const reading = readingOf(request, courses)
  const { viewer } = reading
  const record = await findQuestionRecord(db, viewer, id)
  if (record === undefined || !courses.ids.includes(record.course_id))
    throw refusal('id', 'agents.refused.question')
  const answers = await answersTo(reading, id, record.accepted_answer_id)
  const under = { isDirect: true, answerIds: answers.map((answer) => answer.id) }
  const replies = await replyRecords.first(db, viewer, { questionIds: [id], under }, MOST_REPLIES)
  const asker = askerOf(reading, record)
  const question = { ...quotedQuestion(reading, record, BYTES.question), replies: [] }
  const room = new Room(question)
  const shown = room.fitting(
    answers.map((answer) => ({ ...quotedAnswer(reading, answer, asker, BYTES.below), replies: [] })),
  )
  // Answers before replies: of these, as many as there is room for.
  const below = room.fitting(
    replies
      .filter(({ answer_id: of }) => of === null || shown.some((answer) => answer.id === of))
      .map((reply) => ({ of: reply.answer_id, reply: quotedReply(reading, reply, asker, BYTES.below) })),
  )
  const repliesTo = (of: number | null) => below.filter((one) => one.of === of).map(({ reply }) => reply)
  return {
    question: { ...question, replies: repliesTo(null) },
    answers: shown.map((answer) => ({ ...answer, replies: repliesTo(answer.id) })),
    has_more: shown.length < record.answers_count || below.length < replies.length,
  }
}

/** Those of use first: the accepted one, those that staff endorsed, then the oldest. */
async function answersTo({ request, viewer }: Reading, questionId: number, acceptedId: number | null) {
  const { db } = request.server
  const first = await answerRecords.first(
    db,
    viewer,
    { questionIds: [questionId], under: null },
    MOST_ANSWERS,
  )
  const isThere = acceptedId === null || first.some(({ id }) => id === acceptedId)
  const accepted = isThere ? undefined : await answerRecords.find(db, viewer, acceptedId)
  const rank = (answer: (typeof first)[number]) => (answer.is_accepted ? 0 : answer.is_endorsed ? 1 : 2)
  return [...(accepted === undefined ? [] : [accepted]), ...first].sort(
    (one, other) => rank(one) - rank(other),
  )
}

export async function listWaiting(request: FastifyRequest, { course: slug }: { readonly course: string }) {
  const { db } = request.server
  const person = request.agent?.person ?? null
  const onDesk = sql<boolean>`course.slug = ${slug} and ${visibleTo(person, 'work-desk')}`
  const [courseId] = (await coursesOf(request, onDesk)).ids
  if (courseId === undefined) throw refusal('course', 'agents.refused.desk')
  const filter = {
    courseId,
    view: 'waiting',
    lectureId: null,
    viewerId: person?.id ?? 0,
    isShared: true,
  } as const
  const { rows, older } = await listDesk(db, filter, { after: null, before: null }, MOST_WAITING)
  const waiting = rows.map((row) => ({
    id: row.id,
    url: absolute(request, questionPath(row)),
    lecture: row.lecture_position,
    votes: row.votes_count,
    waiting_since: row.at.toISOString(),
    is_overdue: row.is_due,
    is_assigned: row.assignee_id !== null,
    quoted: { title: row.title },
  }))
  const shown = new Room({}).fitting(waiting)
  return { waiting: shown, has_more: older !== null || shown.length < waiting.length }
}
