import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { notFound, Problem } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { liveStateOf } from '../../text/question-state.ts'
import type { Change, ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { findPlace, type Post } from '../posts/find.ts'
import type { Readers } from './readers.ts'

/** Questions that are remembered at once: each page that is opened asks twice, and after a restart hundreds are opened again. */
const MAX_QUESTIONS = 1000

interface LiveState {
  readonly count: number
  readonly state: string
}

export class WatchedQuestions {
  private readonly db: Database
  private readonly places: ScopedCache<Post | null>
  private readonly presents: ScopedCache<LiveState | null>

  /** @param changes null: no changes are announced, so that nothing is remembered */
  constructor(db: Database, changes: ChangeFeed | null) {
    this.db = db
    this.places = new ScopedCache(changes, { maxSize: MAX_QUESTIONS })
    this.presents = new ScopedCache(changes, { maxSize: MAX_QUESTIONS })
  }

  /** Finds a question for somebody who may read it. @throws Problem 404, 410 or 403 when they may not, NeedsSignIn */
  async find(viewer: Actor | null, id: number): Promise<Post> {
    const place = await this.places.find(String(id), async () => ({
      // That there is none is remembered too: it must not take longer than a private one.
      value: await findPlace(this.db, { table: 'questions', id }).catch(nullIfMissing),
      scopes: [`question:${id}`],
    }))
    if (place === null) throw notFound()
    requireRight(viewer, 'read', place)
    return place
  }

  /** @returns how many answers it has, and its state; null: it is gone */
  present(id: number): Promise<LiveState | null> {
    return this.presents.find(String(id), async () => ({
      value: await this.read(id),
      scopes: [`question:${id}`],
    }))
  }

  private async read(id: number): Promise<LiveState | null> {
    const question = await this.db
      .selectFrom('questions')
      .select(['answers_count', 'status', 'accepted_answer_id'])
      .where('id', '=', id)
      .executeTakeFirst()
    return question === undefined ? null : { count: question.answers_count, state: liveStateOf(question) }
  }
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Problem && error.key === 'notFound') return null
  throw error
}

/** Tells readers of a question how many answers it has and what state it is in, after a change of it. */
export class AnswerCounts {
  private readonly db: Database
  private readonly readers: Readers
  private readonly onFailure: (error: unknown) => void
  /** Questions being read; true: changed again meanwhile. */
  private readonly reading = new Map<number, boolean>()

  constructor(db: Database, readers: Readers, onFailure: (error: unknown) => void) {
    this.db = db
    this.readers = readers
    this.onFailure = onFailure
  }

  /** One query at a time for each question that somebody reads. */
  questionChanged(questionId: number): void {
    if (this.readers.of(questionId).size === 0) return
    const isReading = this.reading.has(questionId)
    this.reading.set(questionId, isReading)
    if (!isReading) void this.readAndTell(questionId)
  }

  private async readAndTell(questionId: number): Promise<void> {
    try {
      await this.tell(questionId)
    } catch (error) {
      this.onFailure(error)
      // They open the page's stream again, and are told how many there are by then.
      this.readers.end((reader) => reader.questionId === questionId)
    }
    const isChanged = this.reading.get(questionId) === true
    this.reading.delete(questionId)
    if (isChanged) this.questionChanged(questionId)
  }

  private async tell(questionId: number): Promise<void> {
    const question = await this.db
      .selectFrom('questions')
      .select(['answers_count', 'status', 'accepted_answer_id', 'course_id', 'audience', 'is_shown'])
      .where('id', '=', questionId)
      .executeTakeFirst()
    const isThere = question?.is_shown === true
    // Deleted, hidden, made private, or moved to another course, which they may not be allowed to read.
    this.readers.end(
      (reader) =>
        reader.questionId === questionId &&
        (!isThere || reader.courseId !== question.course_id || reader.audience !== question.audience),
    )
    if (!isThere) return
    for (const reader of this.readers.of(questionId)) {
      this.readers.tell(reader, question.answers_count)
      this.readers.tellState(reader, liveStateOf(question))
    }
  }
}

const OWN = /^own:(\d+)$/

/** Tells people who have a page open how much they were told and have not seen, whenever that changes. */
export class Bells {
  private readonly app: FastifyInstance
  private readonly byPerson = new Map<number, Set<ServerResponse>>()
  private readonly told = new WeakMap<ServerResponse, number>()
  /** People whose count is being looked up: what changes meanwhile is looked up after it. */
  private readonly asked = new Map<number, boolean>()

  constructor(app: FastifyInstance) {
    this.app = app
  }

  /** Now, and from now on until the connection ends. */
  add(personId: number, response: ServerResponse): void {
    const responses = this.byPerson.get(personId) ?? new Set()
    this.byPerson.set(personId, responses.add(response))
    response.once('close', () => {
      responses.delete(response)
      if (responses.size === 0) this.byPerson.delete(personId)
    })
    void this.tell(personId)
  }

  hear({ scopes }: Change): void {
    for (const scope of scopes) {
      const personId = Number(OWN.exec(scope)?.[1] ?? 0)
      if (this.byPerson.has(personId)) void this.tell(personId)
    }
  }

  private async tell(personId: number): Promise<void> {
    if (this.asked.has(personId)) return void this.asked.set(personId, true)
    this.asked.set(personId, false)
    const { unseenCount } = await this.app.ownParts(personId)
    const isStale = this.asked.get(personId) === true
    this.asked.delete(personId)
    if (isStale) return this.tell(personId)
    for (const response of this.byPerson.get(personId) ?? []) {
      const isGone = response.writableEnded || response.destroyed
      if (isGone || this.told.get(response) === unseenCount) continue
      this.told.set(response, unseenCount)
      response.write(`event: notifications\ndata: ${unseenCount}\n\n`)
    }
  }
}
