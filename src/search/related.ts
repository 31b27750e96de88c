import { LRUCache } from 'lru-cache'
import type { Database } from '../database/schema.ts'
import { findSimilar, type SimilarTo } from './similar.ts'
import { type SimilarView, similarViews } from './similar-view.ts'

/** How long related questions are kept, in milliseconds: a new question shows up beside others within this. */
const FRESH = 10 * 60_000

/**
 * Related questions of a question's page, kept for ten minutes: what is near a question changes slowly. They are those of
 * its own course, which whoever reads it may read too, so one list serves everybody.
 */
export class RelatedQuestions {
  private readonly db: Database
  private readonly kept = new LRUCache<number, Promise<SimilarView[]>>({ max: 10_000, ttl: FRESH })

  constructor(db: Database) {
    this.db = db
  }

  of(question: SimilarTo & { readonly exceptId: number; readonly courseId: number }): Promise<SimilarView[]> {
    const known = this.kept.get(question.exceptId)
    if (known !== undefined) return known
    const everybody = { id: 0, isAdmin: false, roles: { [question.courseId]: 'learner' as const } }
    const found = findSimilar(this.db, everybody, question).then(similarViews)
    this.kept.set(question.exceptId, found)
    // A failure is not kept: the next page tries again.
    found.catch(() => this.kept.delete(question.exceptId))
    return found
  }

  /** After a question is deleted: its title must not stay beside others. */
  clear(): void {
    this.kept.clear()
  }
}
