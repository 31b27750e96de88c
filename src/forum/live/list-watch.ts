import type { Cursor } from '../../database/keyset.ts'
import type { Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../rights/visibility.ts'
import type { QuestionFilter } from '../questions/list-filter.ts'
import { isNewer, type ListedFacts, newerQuestions } from '../questions/newer-questions.ts'

export class ListWatch {
  private readonly filter: QuestionFilter
  private readonly since: Cursor
  /** null: `begin` has not found out yet. */
  private courses: readonly number[] | null = null
  private newer = new Set<number>()
  /** Changed while `begin` was asking: it may have missed them. */
  private readonly early: { readonly id: number; readonly facts: ListedFacts | undefined }[] = []

  /** @param since the newest question on the page */
  constructor(filter: QuestionFilter, since: Cursor) {
    this.filter = filter
    this.since = since
  }

  /** Counts what is there by now. @returns how many are new */
  async begin(db: Database, readable: ReadableCourses): Promise<number> {
    const ids = await newerQuestions(db, this.filter, readable, this.since)
    this.newer = new Set(ids)
    this.courses = readable.ids
    for (const { id, facts } of this.early.splice(0)) this.note(id, facts)
    return this.newer.size
  }

  /**
   * Takes a changed question into account.
   * @param facts undefined: it was deleted
   * @returns how many are new; null: as many as before
   */
  note(id: number, facts: ListedFacts | undefined): number | null {
    const { courses, newer } = this
    if (courses === null) {
      this.early.push({ id, facts })
      return null
    }
    const before = newer.size
    if (facts !== undefined && isNewer(facts, this.filter, courses, this.since)) newer.add(id)
    else newer.delete(id)
    return newer.size === before ? null : newer.size
  }
}
