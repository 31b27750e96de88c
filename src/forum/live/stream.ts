import { randomInt } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { forbidden, Problem } from '../../operations/problem.ts'
import type { Person } from '../../rights/person.ts'
import { reachOf } from '../../rights/rights.ts'
import { readableCourses } from '../../rights/visibility.ts'
import { networkOf } from '../../web/limits/network.ts'
import type { Connection, Reader, Readers } from './readers.ts'
import type { Bells, WatchedQuestions } from './watching.ts'

/** Pages open at once that one process tells of new answers, a few KB of memory each: of all, and of one network. */
const MAX_READERS = 5000
const MAX_PER_NETWORK = 1000
const STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'private, no-store',
  // nginx would keep it back until there is enough of it.
  'x-accel-buffering': 'no',
}

interface Stream {
  readonly readers: Readers
  readonly bells: Bells
  readonly questions: WatchedQuestions
  readonly isClosing: boolean
  readonly readerOf: (connection: Connection) => Reader
}

/**
 * Answers with an event stream and tells it how much is new by now.
 * @throws Problem 503 when too many streams are open, or the forum stops
 */
export async function openStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { readers, bells, questions, isClosing, readerOf }: Stream,
): Promise<void> {
  const network = networkOf(request.ip)
  const isFull = readers.size >= MAX_READERS || readers.countOf(network) >= MAX_PER_NETWORK
  // Gone already, or waiting behind another answer of its connection, as no browser's request does.
  const isGone = reply.raw.socket === null || reply.raw.socket.destroyed
  if (isFull || isClosing || isGone) throw new Problem('unavailable', 60)
  const { raw: response } = reply.hijack()
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...STREAM })) {
    if (value !== undefined) response.setHeader(name, value)
  }
  // Not all at once after a restart.
  response.write(`retry: ${randomInt(2000, 10_000)}\n\n`)
  // Where nobody tells of changes it ends at once, and the browser asks again later.
  if (request.server.changes?.isLive !== true) return void response.end()
  const reader = readerOf({ personId: request.person?.id ?? null, network, response })
  await begin(request, readers, questions, reader)
  if (reader.personId !== null) bells.add(reader.personId, response)
}

/**
 * Counts once the reader is known: what comes in between is told twice rather than never. Their right to read is asked for
 * again, too: one that ended while it was looked up the first time ended before anybody knew of this reader. What is remembered
 * answers, as it shows all changes that were heard so far: whatever is heard from now on is told to this reader.
 */
async function begin(
  request: FastifyRequest,
  readers: Readers,
  questions: WatchedQuestions,
  reader: Reader,
): Promise<void> {
  const { server, sessionToken } = request
  readers.add(reader)
  try {
    const person = sessionToken === null ? null : await server.personOfSession(sessionToken)
    const now = await presentFor(server.db, questions, person, reader)
    if (now === null) return
    readers.tell(reader, now.count)
    if (now.state !== null) readers.tellState(reader, now.state)
  } catch (error) {
    if (!(error instanceof Problem)) {
      request.log.warn({ err: error }, 'counting what is new for a live stream failed')
    }
    readers.end((one) => one === reader)
  }
}

interface Present {
  readonly count: number
  /** null: the page is not a question's. */
  readonly state: string | null
}

/** @returns null: nothing is counted here @throws Problem when the person may not read the question */
async function presentFor(
  db: Database,
  questions: WatchedQuestions,
  person: Person | null,
  reader: Reader,
): Promise<Present | null> {
  if (reader.questionId === 'none') return null
  if (reader.list === null && reader.questionId === null) {
    const { isAll, courseIds } = reachOf(person, 'work-desk')
    if (!isAll && !courseIds.includes(reader.courseId)) throw forbidden()
    return { count: 0, state: null }
  }
  if (reader.list !== null)
    return { count: await reader.list.begin(db, await readableCourses(db, person)), state: null }
  await questions.find(person, reader.questionId)
  return await questions.present(reader.questionId)
}
