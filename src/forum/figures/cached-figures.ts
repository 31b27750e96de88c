import type { Database } from '../../database/schema.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { waitingCount } from '../courses/waiting-count.ts'
import { CachedWeeks } from './cached-weeks.ts'
import { type CourseFigures, figuresOf, weeksOfWords } from './figures.ts'
import { beginningsOf, countLearners, lecturesOf, type Subject } from './queries.ts'
import { dayIn, mondaysOf, type Weeks, weeksBetween } from './weeks.ts'

const MAX_FIGURES = 200
/** "Within a day" depends on the clock, and the number of learners changes without a change of the course. */
const MAX_AGE_MS = 60_000

/** The figures of a course: counted once for all who look, until something in the course changes. */
export class CachedFigures {
  private readonly db: Database
  private readonly cache: ScopedCache<CourseFigures>
  /** Most changes of a course change nothing about how many learners it has. */
  private readonly learners: ScopedCache<number>
  private readonly weeks: CachedWeeks

  constructor(db: Database, changes: ChangeFeed | null) {
    this.db = db
    this.weeks = new CachedWeeks(db, changes)
    this.cache = new ScopedCache(changes, { maxSize: MAX_FIGURES, maxAgeMs: MAX_AGE_MS })
    this.learners = new ScopedCache(changes, { maxSize: MAX_FIGURES, maxAgeMs: MAX_AGE_MS })
  }

  of(course: Subject, weeks: Weeks): Promise<CourseFigures> {
    const key = `${course.id} ${course.timeZone} ${weeks.from} ${weeks.to}`
    return this.cache.find(key, async () => ({
      value: await this.count(course, weeks),
      scopes: [`course:${course.id}`],
    }))
  }

  private async count(course: Subject, range: Weeks): Promise<CourseFigures> {
    const today = dayIn(new Date(), course.timeZone)
    const { asked } = await beginningsOf(this.db, course)
    const history = mondaysOf(weeksBetween(asked === null || asked > today ? today : asked, today))
    const mondays = [...new Set([...history, ...mondaysOf(range)])].sort()
    const [found, waiting, lectures, learners] = await Promise.all([
      this.weeks.find(course, mondays, (weeks) => weeksOfWords(range, weeks)),
      waitingCount(this.db, course.id),
      lecturesOf(this.db, course.id),
      this.learners.find(String(course.id), async () => ({
        value: await countLearners(this.db, course.id),
        scopes: [],
      })),
    ])
    return figuresOf(range, found.weeks, found.words, { waiting, lectures, learners })
  }
}
