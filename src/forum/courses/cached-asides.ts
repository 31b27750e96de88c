import type { Database } from '../../database/schema.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { type CourseAside, courseAside } from './aside.ts'

const MAX_ASIDES = 1000
/** How soon answers come may change with any answer, which touches no list: it is this old at the most, and in a page twice. */
const MAX_AGE_MS = 10 * 60_000

/** What stands beside the lists of a course: read once for all of them, until its questions or what is told beside them change. */
export class CachedAsides {
  private readonly db: Database
  private readonly cache: ScopedCache<CourseAside>

  constructor(db: Database, changes: ChangeFeed | null) {
    this.db = db
    this.cache = new ScopedCache(changes, { maxSize: MAX_ASIDES, maxAgeMs: MAX_AGE_MS })
  }

  of(courseId: number): Promise<CourseAside> {
    return this.cache.find(String(courseId), async () => ({
      value: await courseAside(this.db, courseId),
      scopes: [`list:${courseId}`],
    }))
  }
}
