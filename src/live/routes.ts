import { randomInt } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { personOfSession } from '../accounts/sessions.ts'
import { findQuestion } from '../questions/find.ts'
import { networkOf } from '../web/network.ts'
import { idParam } from '../web/params.ts'
import { Problem } from '../web/problem.ts'
import { type Reader, Readers } from './readers.ts'

/** Pages open at once that one process tells of new answers, a few KB of memory each: of all, and of one network. */
const MOST_READERS = 5000
const MOST_OF_ONE = 1000
/** Proxies end a connection on which nothing comes for a minute. */
const KEEP_ALIVE = 25_000
const STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'private, no-store',
  // nginx would keep it back until there is enough of it.
  'x-accel-buffering': 'no',
}

/** `/live/questions/:id`: how many answers a question has, now and whenever that changes, for public/js/live.js. */
export function registerLive(app: FastifyInstance): void {
  const readers = new Readers()
  let isClosing = false
  const stop = app.changes?.listen({
    changed: (change) => readers.hear(change),
    // They come again, and are told how many there are by then.
    lost: () => readers.end(() => true),
  })
  const timer = setInterval(() => readers.keepAlive(), KEEP_ALIVE).unref()
  // Before the server waits for its connections to end: these would not by themselves.
  app.addHook('preClose', async () => {
    isClosing = true
    clearInterval(timer)
    stop?.()
    readers.end(() => true)
  })

  const options = { exposeHeadRoute: false, config: { isStream: true } }
  app.get('/live/questions/:id', options, async (request, reply) => {
    const { questionId, courseId } = await findQuestion(
      app.db,
      request.person,
      idParam(request, 'id'),
      'read',
    )
    const network = networkOf(request.ip)
    const isFull = readers.size >= MOST_READERS || readers.countOf(network) >= MOST_OF_ONE
    // Gone already, or waiting behind another answer of its connection, as no browser's request does.
    const isGone = reply.raw.socket === null || reply.raw.socket.destroyed
    if (isFull || isClosing || isGone) throw new Problem(503, 'unavailable', 60)
    const { raw: response } = reply.hijack()
    for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...STREAM })) {
      if (value !== undefined) response.setHeader(name, value)
    }
    // Not all at once after a restart.
    response.write(`retry: ${randomInt(2000, 10_000)}\n\n`)
    // Where nobody tells of changes it ends at once, and the browser asks again later.
    if (app.changes?.isLive !== true) return void response.end()
    const personId = request.person?.id ?? null
    await begin(request, readers, { questionId, courseId, personId, network, response })
  })
}

/**
 * Counts once the reader is known: an answer in between is told twice rather than never. Their right to read is asked for
 * again, too: one that ended while it was looked up the first time ended before anybody knew of this reader.
 */
async function begin(request: FastifyRequest, readers: Readers, reader: Reader): Promise<void> {
  const { db } = request.server
  readers.add(reader)
  try {
    const token = request.sessionToken
    const person = token === null ? null : await personOfSession(db, token)
    await findQuestion(db, person, reader.questionId, 'read')
    const question = await db
      .selectFrom('questions')
      .select('answers_count')
      .where('id', '=', reader.questionId)
      .executeTakeFirst()
    readers.tell(reader, question?.answers_count ?? 0)
  } catch (error) {
    if (!(error instanceof Problem)) {
      request.log.warn({ err: error }, 'a reader who could not be told how many answers there are')
    }
    readers.end((one) => one === reader)
  }
}
