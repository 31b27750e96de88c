import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/schema.ts'
import { atMost } from '../../text/at-most.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { questionPath } from '../../web/paths.ts'
import type { Scope } from '../../web/scoped-cache/scope.ts'
import { type Loaded, ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { type EarlierAnswered, earlierAnswered } from './earlier-answered.ts'
import { findNear } from './similar.ts'
import type { SimilarTo } from './telling-terms.ts'

/** How long it is remembered which questions are near one: a new one shows up beside others within this. */
const MAX_AGE_MS = 3 * 60 * 60_000
const MAX_QUESTIONS = 4000
/** Nearest questions that are remembered of one: of those, the page shows the first, and the desk those that were answered before. */
const NEAREST = 20
const SHOWN = 5

/** A question near another one, as little as its link needs: thousands are remembered. */
export interface RelatedQuestion {
  readonly id: number
  readonly title: string
  readonly path: string
  readonly answersCount: number
}

/** The question whose page they stand on. */
export type RelatedTo = SimilarTo & { readonly exceptId: number; readonly courseId: number }

/**
 * Related questions of a question's page. Which they are is remembered for three hours, or until the question's own text
 * changes: what is near a question changes slowly. They are those of its own course, which its readers may read too, so
 * one list serves everybody. How they look is never stale: it is read again after a change of one of them.
 */
export class RelatedQuestions {
  private readonly db: Database
  private readonly similar = new LRUCache<string, Promise<readonly number[]>>({
    ...atMost(MAX_QUESTIONS),
    ttl: MAX_AGE_MS,
  })
  private readonly looks: ScopedCache<readonly RelatedQuestion[]>

  constructor(db: Database, changes: ChangeFeed | null) {
    this.db = db
    this.looks = new ScopedCache(changes, { maxSize: MAX_QUESTIONS })
  }

  async of(question: RelatedTo): Promise<readonly RelatedQuestion[]> {
    const ids = (await this.similarTo(question)).slice(0, SHOWN)
    if (ids.length === 0) return []
    return this.looks.find(`${question.courseId} ${ids}`, () => this.read(ids, question.courseId))
  }

  /** Questions whose answers may answer this one too, the nearest first: asked before it, and answered. Read each time. */
  async answeredBefore(question: RelatedTo, size: number): Promise<readonly EarlierAnswered[]> {
    return earlierAnswered(this.db, await this.similarTo(question), question.exceptId, size)
  }

  private similarTo(question: RelatedTo): Promise<readonly number[]> {
    const key = digestOf(question)
    const known = this.similar.get(key)
    if (known !== undefined) return known
    const everybody = { id: 0, isAdmin: false, roles: { [question.courseId]: 'learner' as const } }
    const found = findNear(this.db, everybody, question, NEAREST)
    this.similar.set(key, found)
    // A failure is not remembered: the next page tries again.
    found.catch(() => this.similar.delete(key))
    return found
  }

  /** Those that are still there, in their order. */
  private async read(ids: readonly number[], courseId: number): Promise<Loaded<readonly RelatedQuestion[]>> {
    const rows = await this.db
      .selectFrom('questions')
      .select(['id', 'title', 'answers_count'])
      .where('id', 'in', ids)
      .where('course_id', '=', courseId)
      .where('is_listed', '=', true)
      .execute()
    const found = new Map(rows.map((row) => [row.id, row]))
    const value = ids.flatMap((id) => {
      const row = found.get(id)
      if (row === undefined) return []
      return [{ id, title: row.title, path: questionPath(row), answersCount: row.answers_count }]
    })
    return { value, scopes: ids.map((id): Scope => `question:${id}`) }
  }
}

function digestOf({ exceptId, courseId, title, body, tags }: RelatedTo): string {
  return createHash('sha256')
    .update(JSON.stringify([exceptId, courseId, title, body, tags]))
    .digest('base64')
}
