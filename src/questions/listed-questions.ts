import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/change.ts'
import type { Changes } from '../changes/changes.ts'
import type { Database } from '../database/schema.ts'
import type { Actor } from '../rights.ts'
import { type StandingQuestion, standingQuestions } from './list.ts'

/** Questions remembered, and kinds of readers for each. */
const MOST = 500
const MOST_READERS = 20

type Reading = Promise<StandingQuestion | undefined>

/**
 * What lists show of single questions and where these stand: read once for all lists of one kind of reader that a question
 * is on, and anew after it changed.
 */
export class ListedQuestions {
  private readonly db: Database
  private readonly changes: Changes | null
  /** By question, then by who reads. */
  private readonly kept = new LRUCache<number, LRUCache<string, Reading>>({ max: MOST })

  /** @param changes null: nobody tells of changes, so that nothing is kept */
  constructor(db: Database, changes: Changes | null) {
    this.db = db
    this.changes = changes
    changes?.listen({ changed: (change) => this.drop(change), lost: () => this.kept.clear() })
  }

  /** @returns by id; without those that are not there */
  async of(viewer: Actor | null, ids: readonly number[]): Promise<Map<number, StandingQuestion>> {
    const reader = JSON.stringify(viewer)
    const missing = ids.filter((id) => this.kept.get(id)?.has(reader) !== true)
    const read = missing.length === 0 ? null : this.read(viewer, missing)
    const readings = ids.map((id) => {
      const known = this.kept.get(id) ?? new LRUCache<string, Reading>({ max: MOST_READERS })
      const reading = known.get(reader) ?? read?.then((found) => found.get(id))
      if (reading !== undefined && this.changes?.isLive === true)
        this.kept.set(id, known.set(reader, reading))
      return reading
    })
    const found = await Promise.all(readings)
    return new Map(found.flatMap((one) => (one === undefined ? [] : [[one.question.id, one]])))
  }

  private async read(viewer: Actor | null, ids: readonly number[]): Promise<Map<number, StandingQuestion>> {
    try {
      const questions = await standingQuestions(this.db, viewer, ids)
      return new Map(questions.map((one) => [one.question.id, one]))
    } catch (error) {
      // A failure is not kept: the next page tries again.
      for (const id of ids) this.kept.delete(id)
      throw error
    }
  }

  /** A name, a course or who teaches in it may stand beside any question. */
  private drop(change: Change): void {
    if ('question' in change) this.kept.delete(change.question)
    else this.kept.clear()
  }
}
