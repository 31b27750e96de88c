import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Viewing } from '../../web/page-cache/rendering.ts'
import { markCourseRead } from './course-reads.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly openedCourses: OpenedCourses
  }
}

/**
 * What is unread in a course counts from when somebody first opens one of its pages signed in: what was there before would be
 * thousands of questions. Noted as a page is sent, as pages of the cache are, too.
 */
export class OpenedCourses {
  private readonly app: FastifyInstance
  private readonly writing = new Set<Promise<void>>()

  constructor(app: FastifyInstance) {
    this.app = app
  }

  /** Notes that a page of a course was opened; a prefetch does not count. */
  note({ method, headers, person }: Viewing, courseId: number): void {
    if (person === null || method !== 'GET' || headers['sec-purpose'] !== undefined) return
    const written = this.begin(person.id, courseId)
      .catch((error: unknown) =>
        this.app.log.warn({ err: error, courseId }, 'a course that counts from later on'),
      )
      .finally(() => this.writing.delete(written))
    this.writing.add(written)
  }

  /** Until all that was noted is written. */
  async settled(): Promise<void> {
    await Promise.all(this.writing)
  }

  private async begin(personId: number, courseId: number): Promise<void> {
    const { readCourses } = await this.app.ownParts(personId)
    if (readCourses.has(courseId)) return
    await this.app.db.transaction().execute((write) => markCourseRead(write, courseId, personId, sql`now()`))
  }
}

/** Notes that a page of a course is opened: now, or each time the shared page that is rendered is sent. */
export function noteOpened(request: FastifyRequest, courseId: number): void {
  const {
    rendering,
    server: { openedCourses },
  } = request
  if (rendering === null) {
    openedCourses.note(request, courseId)
    return
  }
  const { onSent } = rendering
  rendering.onSent = (viewing) => {
    onSent?.(viewing)
    openedCourses.note(viewing, courseId)
  }
}

/** Before the pool of the database ends, what was noted is written. */
export function registerOpenedCourses(app: FastifyInstance): void {
  const opened = new OpenedCourses(app)
  app.decorate('openedCourses', opened)
  app.addHook('onClose', () => opened.settled())
}
