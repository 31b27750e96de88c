import type { Database } from '../../database/schema.ts'
import { notFound, Problem } from '../../operations/problem.ts'
import { requireRight } from '../../operations/require-right.ts'
import type { Actor } from '../../rights/rights.ts'
import { liveStateOf } from '../../text/question-state.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { findPlaceOfQuestion, type Post } from '../posts/find.ts'

/** Questions that are remembered at once: each page that is opened asks twice, and after a restart hundreds are opened again. */
const MAX_QUESTIONS = 1000

/** What its open pages are told of a question. */
export interface LiveState {
  readonly count: number
  /** liveStateOf. */
  readonly state: string
}

/** Questions that people have open, read once until they change. */
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
      value: await findPlaceOfQuestion(this.db, id).catch(nullIfMissing),
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
