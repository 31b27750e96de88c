import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/change.ts'
import type { Database } from '../database/schema.ts'
import { findSimilar, type SimilarTo } from './similar.ts'
import { type SimilarView, similarViews } from './similar-view.ts'

/** How long related questions are kept, in milliseconds: a new question shows up beside others within this. */
const FRESH = 3 * 60 * 60_000

/** Questions related to one, and for how many milliseconds they are kept still. */
export interface Related {
  readonly questions: readonly SimilarView[]
  readonly freshFor: number
}

/**
 * Related questions of a question's page, kept for three hours: what is near a question changes slowly. They are those of
 * its own course, which whoever reads it may read too, so one list serves everybody. What they look like is never old: a
 * change of one of them, or of the question itself, drops the list.
 */
export class RelatedQuestions {
  private readonly db: Database
  private readonly kept: LRUCache<number, Promise<SimilarView[]>>
  /** Beside which questions one stands. */
  private readonly beside = new Map<number, Set<number>>()

  constructor(db: Database) {
    this.db = db
    this.kept = new LRUCache({ max: 10_000, ttl: FRESH })
  }

  async of(question: SimilarTo & { readonly exceptId: number; readonly courseId: number }): Promise<Related> {
    const id = question.exceptId
    const questions = await (this.kept.get(id) ?? this.find(id, question))
    return { questions, freshFor: this.kept.getRemainingTTL(id) }
  }

  /** Forgets the lists in which something looks different now. */
  drop(change: Change): void {
    if ('all' in change) this.clear()
    if (!('question' in change) || change.change === 'figures') return
    const { question: id } = change
    for (const list of [id, ...(this.beside.get(id) ?? [])]) this.kept.delete(list)
    this.beside.delete(id)
  }

  clear(): void {
    this.kept.clear()
    this.beside.clear()
  }

  private find(id: number, question: SimilarTo & { readonly courseId: number }): Promise<SimilarView[]> {
    const everybody = { id: 0, isAdmin: false, roles: { [question.courseId]: 'learner' as const } }
    const found = findSimilar(this.db, everybody, question).then((questions) => {
      const views = similarViews(questions)
      for (const view of views) this.noteBeside(view.id, id)
      return views
    })
    this.kept.set(id, found)
    // A failure is not kept: the next page tries again.
    found.catch(() => this.kept.delete(id))
    return found
  }

  private noteBeside(id: number, list: number): void {
    const lists = this.beside.get(id) ?? new Set()
    this.beside.set(id, lists.add(list))
  }
}
