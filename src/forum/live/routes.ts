import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readCursor } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import { forbidden, Problem } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { reachOf } from '../../kernel/rights/rights.ts'
import { readableCourses } from '../../kernel/rights/visibility.ts'
import { beginStream, isGone, KEEP_ALIVE_MS } from '../../web/event-stream.ts'
import { networkOf } from '../../web/limits/limits.ts'
import { choiceParam, idParam, queryParam } from '../../web/params.ts'
import { courseFor } from '../courses/find-course.ts'
import { type QuestionFilter, STATUS_FILTERS } from '../reading/list-filter.ts'
import { findListedFacts } from '../reading/newer-questions.ts'
import { ListWatch, type Reader, Readers } from './readers.ts'
import { AnswerCounts, Bells, WatchedQuestions } from './watching.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** How many streams of open pages this process has. */
    readonly openStreams: () => number
  }
}

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

  const options = { exposeHeadRoute: false }
  const open = (request: FastifyRequest, reply: FastifyReply, place: Partial<Reader>) =>
    openStream(request, reply, place, { readers, bells, questions, isClosing })
  app.get('/live/questions/:id', options, async (request, reply) => {
    const id = idParam(request, 'id')
    const { questionId, courseId, audience } = await questions.find(request.person, id)
    return open(request, reply, { questionId, courseId, audience })
  })
  app.get('/courses/:course/desk/live', options, async (request, reply) => {
    const { id: courseId } = await courseFor(request, 'work-desk')
    return open(request, reply, { courseId })
  })
  app.get('/live/notifications', options, async (request, reply) => {
    request.requirePerson()
    return open(request, reply, { questionId: 'none' })
  })
  app.get('/live/questions', options, async (request, reply) => {
    const list = new ListWatch(listFilter(request), readCursor(queryParam(request, 'since'), 'time') ?? START)
    return open(request, reply, { list })
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

/** Pages open at once that one process tells of new answers, a few KB of memory each: of all, and of one network. */
const MAX_READERS = 5000
const MAX_PER_NETWORK = 1000

interface Streams {
  readonly readers: Readers
  readonly bells: Bells
  readonly questions: WatchedQuestions
  readonly isClosing: boolean
}

/**
 * Answers with an event stream and tells it how much is new by now.
 * @throws Problem 503 when too many streams are open, or the forum stops
 */
async function openStream(
  request: FastifyRequest,
  reply: FastifyReply,
  place: Partial<Reader>,
  { readers, bells, questions, isClosing }: Streams,
): Promise<void> {
  const network = networkOf(request.ip)
  const isFull = readers.size >= MAX_READERS || readers.countOf(network) >= MAX_PER_NETWORK
  if (isFull || isClosing || isGone(reply)) throw new Problem('unavailable', 60)
  const response = beginStream(reply)
  // Where nobody tells of changes it ends at once, and the browser asks again later.
  if (request.server.changes?.isLive !== true) return void response.end()
  const nowhere = { questionId: null, courseId: null, audience: null, list: null }
  const reader = { ...nowhere, ...place, personId: request.person?.id ?? null, network, response }
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

/**
 * @returns null: nothing is counted here; `state` null: the page is not a question's
 * @throws Problem when the person may not read the question
 */
async function presentFor(
  db: Database,
  questions: WatchedQuestions,
  person: Person | null,
  { questionId, courseId, list }: Reader,
) {
  if (questionId === 'none') return null
  if (list !== null) return { count: await list.begin(db, await readableCourses(db, person)), state: null }
  if (questionId === null) {
    const { isAll, courseIds } = reachOf(person, 'work-desk')
    if (courseId === null || !(isAll || courseIds.includes(courseId))) throw forbidden()
    return { count: 0, state: null }
  }
  await questions.find(person, questionId)
  return await questions.present(questionId)
}
