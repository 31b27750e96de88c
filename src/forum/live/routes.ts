import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readCursor } from '../../database/keyset.ts'
import { choiceParam, idParam, queryParam } from '../../web/params.ts'
import { deskCourse } from '../desk/place.ts'
import { type QuestionFilter, STATUS_FILTERS } from '../questions/list-filter.ts'
import { findListedFacts } from '../questions/newer-questions.ts'
import { ListWatch } from './list-watch.ts'
import { type Connection, type Reader, Readers } from './readers.ts'
import { openStream } from './stream.ts'
import { AnswerCounts, Bells, WatchedQuestions } from './watching.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** How many streams of open pages this process has. */
    readonly openStreams: () => number
  }
}

/** Proxies end a connection on which nothing comes for a minute. */
const KEEP_ALIVE_MS = 25_000
/** Before all questions. */
const START = { value: 0, id: 1 }

/**
 * Streams for public/js/live.js. `/live/questions/:id`: how many answers a question has and what state it is in
 * (liveStateOf), now and whenever that changes.
 * `/live/notifications`: how much one was told and has not seen, which the two others tell as well.
 * `/live/questions`: how many questions of a list are newer than `since`, a cursor; which list, the ids `course`, `tag`,
 * `lecture`, `author` and the `status` say. `/courses/:course/desk/live`: a number that goes up whenever something on a desk changes.
 */
export function registerLive(app: FastifyInstance): void {
  const readers = new Readers()
  app.decorate('openStreams', () => readers.size)
  const bells = new Bells(app)
  const questions = new WatchedQuestions(app.db, app.changes)
  const counts = new AnswerCounts(app.db, readers, (error) =>
    app.log.warn({ err: error }, 'readers who could not be told how many answers there are'),
  )
  let isClosing = false
  const tellLists = listsTeller(app, readers)
  const stop = app.changes?.listen({
    changed: (change) => {
      readers.hear(change)
      if (change.course !== undefined) readers.tellDesks(change.course)
      bells.hear(change)
      if (change.question === undefined) return
      counts.questionChanged(change.question)
      tellLists(change.question)
    },
    // They come again, and are told how many there are by then.
    lost: () => readers.end(() => true),
  })
  const timer = setInterval(() => readers.keepAlive(), KEEP_ALIVE_MS).unref()
  // Before the server waits for its connections to end: these would not by themselves.
  app.addHook('preClose', async () => {
    isClosing = true
    clearInterval(timer)
    stop?.()
    readers.end(() => true)
  })

  const options = { exposeHeadRoute: false, config: { isStream: true } }
  const open = (request: FastifyRequest, reply: FastifyReply, readerOf: (connection: Connection) => Reader) =>
    openStream(request, reply, { readers, bells, questions, isClosing, readerOf })
  app.get('/live/questions/:id', options, async (request, reply) => {
    const id = idParam(request, 'id')
    const { questionId, courseId, audience } = await questions.find(request.person, id)
    return open(request, reply, (connection) => ({
      ...connection,
      questionId,
      courseId,
      audience,
      list: null,
    }))
  })
  app.get('/courses/:course/desk/live', options, async (request, reply) => {
    const { id: courseId } = await deskCourse(request)
    return open(request, reply, (connection) => ({ ...connection, questionId: null, courseId, list: null }))
  })
  app.get('/live/notifications', options, async (request, reply) => {
    request.requirePerson()
    const none = { questionId: 'none', courseId: null, audience: null, list: null } as const
    return open(request, reply, (connection) => ({ ...connection, ...none }))
  })
  app.get('/live/questions', options, async (request, reply) => {
    const list = new ListWatch(listFilter(request), readCursor(queryParam(request, 'since'), 'time') ?? START)
    return open(request, reply, (connection) => ({
      ...connection,
      questionId: null,
      courseId: null,
      audience: null,
      list,
    }))
  })
}

/** Tells readers of lists of changed questions, one after another, as the older state of one must not come last. */
function listsTeller(app: FastifyInstance, readers: Readers): (questionId: number) => void {
  let last: Promise<void> = Promise.resolve()
  return (questionId) => {
    if (!readers.hasLists) return
    last = last
      .then(async () => readers.tellLists(questionId, await findListedFacts(app.db, questionId)))
      .catch((error: unknown) => {
        app.log.warn({ err: error }, 'telling open lists of a changed question failed')
        // They connect again, and count again.
        readers.end((reader) => reader.list !== null)
      })
  }
}

function listFilter(request: FastifyRequest): QuestionFilter {
  return {
    courseId: idQuery(request, 'course'),
    tagId: idQuery(request, 'tag'),
    lectureId: idQuery(request, 'lecture'),
    authorId: idQuery(request, 'author'),
    isOwn: false,
    followerId: null,
    unread: null,
    written: null,
    status: choiceParam(request, 'status', STATUS_FILTERS, null),
    sort: 'newest',
  }
}

/** An id of the query string; null: none. What is no id is 0, which nothing has. */
function idQuery(request: FastifyRequest, name: string): number | null {
  const value = queryParam(request, name)
  if (value === null) return null
  return /^\d{1,15}$/.test(value) ? Number(value) : 0
}
