import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/change.ts'
import type { Changes } from '../changes/changes.ts'
import type { Database } from '../database/schema.ts'
import { subjectsOf } from '../page-cache/concerns.ts'
import { type CourseAside, courseAside } from './aside.ts'

/**
 * What stands beside the lists of a course, which looks at its latest hundred questions: made once for all lists of the
 * course, and anew after each change of its posts.
 */
export class KeptAsides {
  private readonly db: Database
  private readonly changes: Changes | null
  private readonly kept = new LRUCache<number, Promise<CourseAside>>({ max: 1000 })

  /** @param changes null: nobody tells of changes, so that nothing is kept */
  constructor(db: Database, changes: Changes | null) {
    this.db = db
    this.changes = changes
    changes?.listen({ changed: (change) => this.drop(change), lost: () => this.kept.clear() })
  }

  of(courseId: number): Promise<CourseAside> {
    if (this.changes?.isLive !== true) return courseAside(this.db, courseId)
    const known = this.kept.get(courseId)
    if (known !== undefined) return known
    const aside = courseAside(this.db, courseId)
    this.kept.set(courseId, aside)
    // A failure is not kept: the next page tries again.
    aside.catch(() => this.kept.delete(courseId))
    return aside
  }

  private drop(change: Change): void {
    const subjects = subjectsOf(change)
    if (subjects === null) this.kept.clear()
    for (const subject of subjects ?? []) {
      if (subject.startsWith('figures:')) this.kept.delete(Number(subject.slice('figures:'.length)))
    }
  }
}
