import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/change.ts'
import type { Changes } from '../changes/changes.ts'
import type { Database } from '../database/schema.ts'
import { questionPath } from '../web/paths.ts'
import { findSimilar, type SimilarQuestion, type SimilarTo } from './similar.ts'
import { worthShowing } from './similar-view.ts'

/** How long related questions are kept, in milliseconds: a new question shows up beside others within this. */
const FRESH = 3 * 60 * 60_000
/** A page with a list that could not be kept is made again soon. */
const SOON = 1000

/** A question near another one, as little as its link needs: thousands are remembered. */
export interface RelatedQuestion {
  readonly id: number
  readonly title: string
  readonly path: string
  readonly answersCount: number
}

/** Questions related to one, and for how many milliseconds they are kept still. */
export interface Related {
  readonly questions: readonly RelatedQuestion[]
  readonly freshFor: number
}

interface List {
  readonly found: Promise<readonly RelatedQuestion[]>
  /** Questions in it; none before it is found. */
  ids: readonly number[]
  /** Questions that changed while it was looked for. */
  readonly changed: Set<number>
}

/**
 * Related questions of a question's page, kept for three hours: what is near a question changes slowly. They are those of
 * its own course, which whoever reads it may read too, so one list serves everybody. What they look like is never old: a
 * change of one of them, or of the question itself, drops the list.
 */
export class RelatedQuestions {
  private readonly db: Database
  private readonly changes: Changes | null
  private readonly kept = new LRUCache<number, List>({
    max: 6000,
    ttl: FRESH,
    dispose: ({ ids }, id) => this.takeFromBeside(id, ids),
  })
  /** Beside which questions one stands. */
  private readonly beside = new Map<number, Set<number>>()
  private readonly underWay = new Set<List>()

  /** @param changes null: nobody tells of changes, so that nothing is kept */
  constructor(db: Database, changes: Changes | null) {
    this.db = db
    this.changes = changes
    changes?.listen({ changed: (change) => this.drop(change), lost: () => this.kept.clear() })
  }

  async of(question: SimilarTo & { readonly exceptId: number; readonly courseId: number }): Promise<Related> {
    const id = question.exceptId
    const known = this.kept.get(id)
    const list = known ?? this.begin(id, question)
    const questions = await list.found
    const isKept = this.kept.peek(id) === list
    // Looked for before something in it changed, which this page has to show.
    if (!isKept && known !== undefined) return this.of(question)
    return { questions, freshFor: isKept ? Math.max(1, this.kept.getRemainingTTL(id)) : SOON }
  }

  private begin(id: number, question: SimilarTo & { readonly courseId: number }): List {
    const everybody = { id: 0, isAdmin: false, roles: { [question.courseId]: 'learner' as const } }
    const found = findSimilar(this.db, everybody, question).then(relatedQuestions)
    const list: List = { found, ids: [], changed: new Set() }
    if (this.changes?.isLive !== true) return list
    this.kept.set(id, list)
    this.underWay.add(list)
    // A failure is not kept: the next page tries again.
    found
      .then(
        (questions) => this.settle(id, list, questions),
        () => this.kept.delete(id),
      )
      .finally(() => this.underWay.delete(list))
    return list
  }

  /** What changed meanwhile may have been read before. */
  private settle(id: number, list: List, questions: readonly RelatedQuestion[]): void {
    if (this.kept.peek(id) !== list) return
    const ids = questions.map((question) => question.id)
    if ([id, ...ids].some((one) => list.changed.has(one))) this.kept.delete(id)
    else {
      list.ids = ids
      for (const one of list.ids) this.beside.set(one, (this.beside.get(one) ?? new Set()).add(id))
    }
  }

  private drop(change: Change): void {
    if ('all' in change) this.kept.clear()
    if (!('question' in change) || change.change === 'figures') return
    const { question: id } = change
    for (const list of this.underWay) list.changed.add(id)
    for (const list of [id, ...(this.beside.get(id) ?? [])]) this.kept.delete(list)
  }

  private takeFromBeside(id: number, ids: readonly number[]): void {
    for (const one of ids) {
      const lists = this.beside.get(one)
      lists?.delete(id)
      if (lists?.size === 0) this.beside.delete(one)
    }
  }
}

function relatedQuestions(questions: readonly SimilarQuestion[]): RelatedQuestion[] {
  return worthShowing(questions).map(({ id, title, answersCount }) => {
    return { id, title, path: questionPath({ id, title }), answersCount }
  })
}
