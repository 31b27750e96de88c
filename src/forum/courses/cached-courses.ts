import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { isVisible, type ReadableCourses, readableCourses } from '../../kernel/rights/visibility.ts'
import type { ChangeFeed } from '../../web/change-feed/change-feed.ts'
import { type Loaded, ScopedCache } from '../../web/scoped-cache/scoped-cache.ts'
import { type CourseAside, courseAside } from './aside.ts'
import { findOnlyCourse } from './choices.ts'
import { type Course, fewCourses, findCourse } from './queries.ts'

/** A forum with more courses asks the database each time: reading all of them after each question costs more. */
const MAX_COURSES = 100

type Known = Awaited<ReturnType<typeof fewCourses>>

/**
 * The courses, which each page needs and which are few: read once, until one of them or its figures change.
 */
export class CachedCourses {
  private readonly db: Database
  private readonly changes: ChangeFeed | null
  private readonly cache: ScopedCache<{ readonly courses: Known }>

  constructor(db: Database, changes: ChangeFeed | null) {
    this.db = db
    this.changes = changes
    this.cache = new ScopedCache(changes, { maxSize: 1 })
  }

  async findCourse(slug: string): Promise<Course | null> {
    const known = await this.known()
    const found = known?.find(({ course }) => course.slug === slug)
    // One that is not known may have been made a moment ago, by another process.
    return found?.course ?? findCourse(this.db, slug)
  }

  /** The slug of the only course somebody can see, where there is just one; null otherwise. */
  async findOnlyCourse(viewer: Actor | null): Promise<string | null> {
    const known = await this.known()
    if (known === null) return findOnlyCourse(this.db, viewer)
    const [only, ...others] = visible(known, viewer)
    return only !== undefined && others.length === 0 ? only.course.slug : null
  }

  /** Tells of a course whether everybody may read it; of all that they may not, as far as it is not known. */
  async publicity(): Promise<(courseId: number) => boolean> {
    const known = await this.known()
    return (courseId) => known?.some(({ course }) => course.id === courseId && course.isPublic) === true
  }

  /** The courses that somebody may read. @param slug of one, which leaves out all others */
  async readable(viewer: Actor | null, slug: string | null = null): Promise<ReadableCourses> {
    const known = await this.known()
    if (known === null) {
      return readableCourses(this.db, viewer, slug === null ? undefined : sql<boolean>`course.slug = ${slug}`)
    }
    const read = visible(known, viewer).filter(({ course }) => slug === null || course.slug === slug)
    const [only, ...others] = read
    const total = countOf(known)
    return {
      ids: read.map(({ course }) => course.id),
      isAll: read.length === known.length,
      share: total === 0 ? 0 : countOf(read) / total,
      synonyms: only !== undefined && others.length === 0 ? only.synonyms : '',
    }
  }

  /** @returns null: there are too many, or changes of them would be missed */
  private async known(): Promise<Known> {
    if (this.changes?.isLive !== true) return null
    const { courses } = await this.cache.find('courses', () => this.load())
    return courses
  }

  private async load(): Promise<Loaded<{ readonly courses: Known }>> {
    return { value: { courses: await fewCourses(this.db, MAX_COURSES) }, scopes: ['site'] }
  }
}

function visible(courses: NonNullable<Known>, viewer: Actor | null) {
  return courses.filter(({ course }) => isVisible(viewer, course))
}

function countOf(courses: NonNullable<Known>): number {
  return courses.reduce((sum, course) => sum + course.questionsCount, 0)
}

const MAX_ASIDES = 1000
/** How soon answers come may change with any answer, which touches no list: it is this old at the most, and in a page twice. */
const MAX_AGE_MS = 10 * 60_000

/** What stands beside the lists of a course: read once for all of them, until its questions or what is told beside them change. */
export function cachedAsides(db: Database, changes: ChangeFeed | null) {
  const cache = new ScopedCache<CourseAside>(changes, { maxSize: MAX_ASIDES, maxAgeMs: MAX_AGE_MS })
  return {
    of: (courseId: number) =>
      cache.find(String(courseId), async () => ({
        value: await courseAside(db, courseId),
        scopes: [`list:${courseId}`],
      })),
  }
}
