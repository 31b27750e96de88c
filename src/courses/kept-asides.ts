import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/change.ts'
import type { Changes } from '../changes/changes.ts'
import type { Database } from '../database/schema.ts'
import { concerns } from '../page-cache/concerns.ts'
import { Shown } from '../page-cache/shown.ts'
import { type CourseAside, courseAside } from './aside.ts'

/** An aside being made or made, and what it depends on. */
interface KeptAside {
  readonly aside: Promise<CourseAside>
  readonly shown: Shown
}

/** What stands beside the lists of a course: made once for all of them, and anew after a change of what it looks at. */
export class KeptAsides {
  private readonly db: Database
  private readonly changes: Changes | null
  private readonly kept = new LRUCache<number, KeptAside>({ max: 1000 })

  /** @param changes null: nobody tells of changes, so that nothing is kept */
  constructor(db: Database, changes: Changes | null) {
    this.db = db
    this.changes = changes
    changes?.listen({ changed: (change) => this.drop(change), lost: () => this.kept.clear() })
  }

  of(courseId: number): Promise<CourseAside> {
    if (this.changes?.isLive !== true) return courseAside(this.db, courseId)
    const known = this.kept.get(courseId)
    if (known !== undefined) return known.aside
    // Until it is known how far back it looks, every question of the course may be among those it looks at.
    const shown = new Shown()
    tellAside(shown, courseId, { since: null })
    const aside = courseAside(this.db, courseId)
    const making = { aside, shown }
    this.kept.set(courseId, making)
    aside.then(
      (made) => this.narrow(courseId, making, made),
      // A failure is not kept: the next page tries again.
      () => this.kept.delete(courseId),
    )
    return aside
  }

  private narrow(courseId: number, making: KeptAside, made: CourseAside): void {
    // Dropped meanwhile, as something of it was changed.
    if (this.kept.get(courseId) !== making) return
    const shown = new Shown()
    tellAside(shown, courseId, made)
    this.kept.set(courseId, { aside: making.aside, shown })
  }

  private drop(change: Change): void {
    for (const [courseId, { shown }] of this.kept.entries()) {
      if (concerns(change, shown)) this.kept.delete(courseId)
    }
  }
}

/** Tells what a page with an aside depends on: the course's figures, and its latest questions with their answers. */
export function tellAside(shown: Shown, courseId: number, { since }: Pick<CourseAside, 'since'>): void {
  shown.add(`figures:${courseId}`)
  shown.list({
    filter: { courseId, tagId: null, lectureId: null, authorId: null, sort: 'newest' },
    states: null,
    above: null,
    below: since === null ? null : { value: since.getTime(), id: 0 },
  })
}
