import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../../database/schema.ts'
import { atMost } from '../../../text/words/remembered.ts'
import type { ChangeFeed } from '../../../web/change-feed/change-feed.ts'
import { questionPath } from '../../../web/paths.ts'
import type { Scope } from '../../../web/scoped-cache/scope-clock.ts'
import { type Loaded, ScopedCache } from '../../../web/scoped-cache/scoped-cache.ts'
import { findNear } from './similar.ts'
import { earlierAnswered } from './similar-view.ts'
import type { SimilarTo } from './telling-terms.ts'

/** How long it is remembered which questions are near, and how they look: a new one shows up beside others within the sum. */
const MAX_AGE_MS = 60 * 60_000
const MAX_QUESTIONS = 4000
/** Nearest questions found of one: the page shows the first of them, the desk those that were answered before. */
const NEAREST = 20
const SHOWN = 5

/** As little as a link needs: thousands are remembered. */
export interface RelatedQuestion {
  readonly id: number
  readonly title: string
  readonly path: string
  readonly answersCount: number
}

export type RelatedTo = SimilarTo & { readonly exceptId: number; readonly courseId: number }

/**
 * Related questions of a question's page. Which they are changes slowly and takes some milliseconds to find: that is remembered for an
 * hour, or until the question's own text changes. They belong to the question's own course, which its readers may read too, so one
 * list serves everyone. How they look is never stale: it is read again after a change of one of them.
 */
export class RelatedQuestions {
  private readonly db: Database
  private readonly near = new LRUCache<string, readonly number[]>({
    ...atMost(MAX_QUESTIONS),
    ttl: MAX_AGE_MS,
  })
  private readonly looks: ScopedCache<readonly RelatedQuestion[]>

  constructor(db: Database, changes: ChangeFeed | null) {
    this.db = db
    this.looks = new ScopedCache(changes, { maxSize: MAX_QUESTIONS, maxAgeMs: MAX_AGE_MS })
  }

  of(question: RelatedTo): Promise<readonly RelatedQuestion[]> {
    return this.looks.find(keyOf(question), async () => {
      const ids = await this.nearTo(question)
      return this.read(ids.slice(0, SHOWN), question.courseId)
    })
  }

  /** Questions whose answers may answer this one too, the nearest first: asked before it, and answered. Read each time. */
  async answeredBefore(question: RelatedTo, size: number) {
    return earlierAnswered(this.db, await this.nearTo(question), question.exceptId, size)
  }

  private async nearTo(question: RelatedTo): Promise<readonly number[]> {
    const key = keyOf(question)
    const known = this.near.get(key)
    if (known !== undefined) return known
    const everybody = { id: 0, isAdmin: false, roles: { [question.courseId]: 'learner' as const } }
    const ids = await findNear(this.db, everybody, question, NEAREST)
    this.near.set(key, ids)
    return ids
  }

  /** Reads the questions that are still there, in their order. */
  private async read(ids: readonly number[], courseId: number): Promise<Loaded<readonly RelatedQuestion[]>> {
    const { rows } = await sql<{ id: number; title: string; answers: number }>`
      select q.id, q.title, q.answers_count as answers
      from unnest(${ids}::bigint[]) with ordinality as nearest (id, place)
      join questions as q on q.id = nearest.id and q.course_id = ${courseId} and q.is_listed
      order by nearest.place`.execute(this.db)
    const value = rows.map(({ id, title, answers }) => ({
      ...{ id, title, path: questionPath({ id, title }) },
      answersCount: answers,
    }))
    return { value, scopes: ids.map((id): Scope => `row:${id}`) }
  }
}

const keyOf = ({ exceptId, courseId, title, body, tags }: RelatedTo) =>
  hash('sha256', JSON.stringify([exceptId, courseId, title, body, tags]), 'base64')
