import { randomInt } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { findQuestion } from '../questions/find.ts'
import { idParam } from '../web/params.ts'
import { Problem } from '../web/problem.ts'
import { answersEvent, Readers } from './readers.ts'

/** Pages open at once that one process tells of new answers; a few KB of memory each. */
const MOST_READERS = 10_000
/** Proxies end a connection on which nothing comes for a minute. */
const KEEP_ALIVE = 25_000
const STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'private, no-store',
  // nginx would keep it back until there is enough of it.
  'x-accel-buffering': 'no',
}

/** `/questions/:id/live`: how many answers the question has, now and whenever that changes, for public/js/live.js. */
export function registerLive(app: FastifyInstance): void {
  const readers = new Readers()
  const stop = app.changes?.listen({
    changed: (change) => readers.hear(change),
    // They come again, and are told how many there are by then.
    lost: () => readers.end(() => true),
  })
  const timer = setInterval(() => readers.keepAlive(), KEEP_ALIVE).unref()
  // Before the server waits for its connections to end: these would not by themselves.
  app.addHook('preClose', async () => {
    clearInterval(timer)
    stop?.()
    readers.end(() => true)
  })

  app.get('/questions/:id/live', async (request, reply) => {
    const question = await findQuestion(app.db, request.person, idParam(request, 'id'), 'read')
    if (app.changes?.isLive !== true || readers.size >= MOST_READERS)
      throw new Problem(503, 'unavailable', 60)
    const { raw: response } = reply.hijack()
    for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...STREAM })) {
      if (value !== undefined) response.setHeader(name, value)
    }
    const { questionId, courseId } = question
    readers.add({ questionId, courseId, personId: request.person?.id ?? null, response })
    // Not all at once after a restart.
    response.write(`retry: ${randomInt(2000, 10_000)}\n${answersEvent(await countAnswers(app, questionId))}`)
  })
}

/** Read after the reader is known: an answer in between is told twice rather than never. */
async function countAnswers({ db }: FastifyInstance, id: number): Promise<number> {
  const row = await db.selectFrom('questions').select('answers_count').where('id', '=', id).executeTakeFirst()
  return row?.answers_count ?? 0
}
