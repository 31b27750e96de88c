import type { Database } from '../../database/schema.ts'
import type { Scope } from '../../web/change-feed/change.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { ScopedCache } from '../../web/change-feed/scoped-cache.ts'
import { type CourseFigures, figuresOf } from './figures.ts'
import { askedQuestions, askedWords, courseNow, type Subject } from './queries.ts'
import type { Weeks } from './weeks.ts'

const MAX_FIGURES = 200
/** "Within a day" depends on the clock, and the number of learners changes without a change of the course. */
const MAX_AGE_MS = 60_000

/** The figures of a course: counted once for all who look, until something in the course changes. */
export class CachedFigures {
  private readonly db: Database
  private readonly cache: ScopedCache<CourseFigures>

  constructor(db: Database, changes: ChangeFeed | null) {
    this.db = db
    this.cache = new ScopedCache(changes, { maxSize: MAX_FIGURES, maxAgeMs: MAX_AGE_MS })
  }

  of(course: Subject, weeks: Weeks): Promise<CourseFigures> {
    const key = `${course.id} ${course.timeZone} ${weeks.from} ${weeks.to}`
    return this.cache.find(key, async () => ({
      value: await countFigures(this.db, course, weeks),
      scopes: new Set<Scope>([`course:${course.id}`]),
    }))
  }
}

export async function countFigures(db: Database, course: Subject, weeks: Weeks): Promise<CourseFigures> {
  const [asked, words, now] = await Promise.all([
    askedQuestions(db, course, weeks),
    askedWords(db, course, weeks),
    courseNow(db, course),
  ])
  return figuresOf(weeks, asked, words, now)
}
