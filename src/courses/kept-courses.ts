import type { Change } from '../changes/change.ts'
import type { Changes } from '../changes/changes.ts'
import type { Database } from '../database/schema.ts'
import type { Actor } from '../rights.ts'
import { findOnlyCourse } from './choices.ts'
import { type Course, findCourse, type ListedCourse, listCourses } from './queries.ts'
import { type ReadableCourses, readableCourses } from './readable.ts'
import { isVisible } from './visibility.ts'

/** A forum with more courses asks the database each time: to read all of them after each question costs more. */
const MOST = 100

/** Whoever sees all there is. */
const EVERYTHING = { id: 0, isAdmin: true, roles: {} }

type Known = readonly ListedCourse[] | null

/**
 * The courses, which each page needs and which are few: read once, and again after a change of one of them or of its
 * figures. What somebody may see of them is the same as the queries of the same names say.
 */
export class KeptCourses {
  private readonly db: Database
  private readonly changes: Changes | null
  private kept: Promise<Known> | null = null

  /** @param changes null: nobody tells of changes, so that nothing is kept */
  constructor(db: Database, changes: Changes | null) {
    this.db = db
    this.changes = changes
    changes?.listen({ changed: (change) => this.drop(change), lost: () => this.drop({ all: true }) })
  }

  async findCourse(slug: string): Promise<Course | null> {
    const known = await this.known()
    if (known === null) return findCourse(this.db, slug)
    return known.find((course) => course.slug === slug) ?? null
  }

  /** The slug of the only course somebody can see, where there is just one; null otherwise. */
  async findOnlyCourse(viewer: Actor | null): Promise<string | null> {
    const known = await this.known()
    if (known === null) return findOnlyCourse(this.db, viewer)
    const [course, ...others] = visible(known, viewer)
    return course !== undefined && others.length === 0 ? course.slug : null
  }

  /** Tells of a course whether everybody may read it; of all that they may not, as far as it is not known. */
  async publicity(): Promise<(courseId: number) => boolean> {
    const known = await this.known()
    return (courseId) => known?.some(({ id, isPublic }) => id === courseId && isPublic) === true
  }

  /** The courses that somebody may read. */
  async readable(viewer: Actor | null): Promise<ReadableCourses> {
    const known = await this.known()
    if (known === null) return readableCourses(this.db, viewer)
    const read = visible(known, viewer)
    const total = countOf(known)
    const isAll = read.length === known.length
    return { ids: read.map(({ id }) => id), isAll, share: total === 0 ? 0 : countOf(read) / total }
  }

  private known(): Promise<Known> {
    if (this.changes?.isLive !== true) return Promise.resolve(null)
    if (this.kept === null) {
      const read = listCourses(this.db, EVERYTHING, { after: null, before: null })
      this.kept = read.then(({ rows, hasOlder }) => (hasOlder || rows.length > MOST ? null : rows))
      // A failure is not kept: the next page tries again.
      this.kept.catch(() => this.drop({ all: true }))
    }
    return this.kept
  }

  private drop(change: Change): void {
    if ('all' in change || ('course' in change && !('question' in change))) this.kept = null
  }
}

function visible(courses: readonly ListedCourse[], viewer: Actor | null): ListedCourse[] {
  return courses.filter((course) => isVisible(viewer, course))
}

function countOf(courses: readonly ListedCourse[]): number {
  return courses.reduce((sum, course) => sum + course.questionsCount, 0)
}
