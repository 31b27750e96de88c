import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/change.ts'
import type { Changes } from '../changes/changes.ts'
import type { Database } from '../database/schema.ts'
import { Multimap } from '../page-cache/multimap.ts'
import { questionPath } from '../web/paths.ts'
import { findSimilar, type SimilarTo } from './similar.ts'
import { worthShowing } from './similar-view.ts'

/** How long it is remembered which questions are near one, in milliseconds: a new one shows up beside others within this. */
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

/** The question whose page they stand on. */
type RelatedTo = SimilarTo & { readonly exceptId: number; readonly courseId: number }

interface List {
  /** Of the text that it was looked for with. */
  readonly digest: string
  readonly found: Promise<readonly number[]>
  /** Questions in it; none before it is found. */
  ids: readonly number[]
  /** What they look like; null: one of them has changed since. */
  questions: Promise<readonly RelatedQuestion[]> | null
}

/**
 * Related questions of a question's page. Which they are is remembered for three hours, or until the question's own text
 * changes: what is near a question changes slowly. They are those of its own course, which whoever reads it may read too, so
 * one list serves everybody. What they look like is never old: it is read again after a change of one of them.
 */
export class RelatedQuestions {
  private readonly db: Database
  private readonly changes: Changes | null
  private readonly kept = new LRUCache<number, List>({
    max: 4000,
    ttl: FRESH,
    dispose: ({ ids }, id) => {
      for (const one of ids) this.beside.delete(one, id)
    },
  })
  /** Beside which questions one stands. */
  private readonly beside = new Multimap<number, number>()

  /** @param changes null: nobody tells of changes, so that nothing is kept */
  constructor(db: Database, changes: Changes | null) {
    this.db = db
    this.changes = changes
    changes?.listen({ changed: (change) => this.hear(change), lost: () => this.kept.clear() })
  }

  async of(question: RelatedTo): Promise<Related> {
    const id = question.exceptId
    const digest = digestOf(question)
    const known = this.kept.get(id)
    const list = known?.digest === digest ? known : this.begin(question, digest)
    const ids = await list.found
    list.questions ??= this.read(list, ids, question.courseId)
    const questions = await list.questions
    const isKept = this.kept.peek(id) === list
    return { questions, freshFor: isKept ? Math.max(1, this.kept.getRemainingTTL(id)) : SOON }
  }

  private begin(question: RelatedTo, digest: string): List {
    const id = question.exceptId
    const everybody = { id: 0, isAdmin: false, roles: { [question.courseId]: 'learner' as const } }
    const found = findSimilar(this.db, everybody, question).then((similar) =>
      worthShowing(similar).map((one) => one.id),
    )
    const list: List = { digest, found, ids: [], questions: null }
    if (this.changes?.isLive !== true) return list
    this.kept.set(id, list)
    found.then(
      (ids) => this.settle(id, list, ids),
      // A failure is not kept: the next page tries again.
      () => this.kept.delete(id),
    )
    return list
  }

  private settle(id: number, list: List, ids: readonly number[]): void {
    if (this.kept.peek(id) !== list) return
    list.ids = ids
    for (const one of ids) this.beside.add(one, id)
  }

  /** Those that are still there, in their order: read only after changes of them are heard of. */
  private async read(
    list: List,
    ids: readonly number[],
    courseId: number,
  ): Promise<readonly RelatedQuestion[]> {
    if (ids.length === 0) return []
    try {
      const rows = await this.db
        .selectFrom('questions')
        .select(['id', 'title', 'answers_count'])
        .where('id', 'in', ids)
        .where('course_id', '=', courseId)
        .where('deleted_at', 'is', null)
        .execute()
      const found = new Map(rows.map((row) => [row.id, row]))
      return ids.flatMap((id) => {
        const row = found.get(id)
        return row === undefined
          ? []
          : [{ id, title: row.title, path: questionPath(row), answersCount: row.answers_count }]
      })
    } catch (error) {
      list.questions = null
      throw error
    }
  }

  private hear(change: Change): void {
    if ('all' in change) this.kept.clear()
    if (!('question' in change) || change.change === 'figures') return
    for (const id of this.beside.get(change.question)) {
      const list = this.kept.peek(id)
      if (list !== undefined) list.questions = null
    }
  }
}

function digestOf({ title, body, tags }: SimilarTo): string {
  return createHash('sha256')
    .update(JSON.stringify([title, body, tags]))
    .digest('base64')
}
