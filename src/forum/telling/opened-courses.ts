import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Viewing } from '../../web/page-cache/rendering.ts'
import { beginCourseReads } from './course-reads.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly openedCourses: OpenedCourses
  }
}

/** After a restart hundreds of people come in a few seconds: those of this time are written by one statement. */
const PATIENCE_MS = 200
/** People written by one statement. */
const MAX_WRITTEN = 500

interface Opened {
  readonly courseId: number
  readonly personId: number
  /** By the clock of performance.now(). */
  readonly at: number
}

/**
 * What is unread in a course counts from when somebody first opens one of its pages signed in: what was there before would be
 * thousands of questions. Noted as a page is sent, as pages of the cache are, too.
 */
export class OpenedCourses {
  private readonly app: FastifyInstance
  private waiting = new Map<string, Opened>()
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()

  constructor(app: FastifyInstance) {
    this.app = app
  }

  /** Notes that a page of a course was opened; a prefetch does not count. */
  note({ method, headers, person }: Viewing, courseId: number): void {
    if (person === null || method !== 'GET' || headers['sec-purpose'] !== undefined) return
    const key = `${courseId} ${person.id}`
    if (this.waiting.has(key)) return
    this.waiting.set(key, { courseId, personId: person.id, at: performance.now() })
    this.timer ??= setTimeout(() => void this.settled(), PATIENCE_MS).unref()
  }

  /** Writes what was noted, until all of it is written. */
  settled(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    const opened = [...this.waiting.values()]
    this.waiting = new Map()
    if (opened.length > 0) this.writing = this.writing.then(() => this.write(opened))
    return this.writing
  }

  private async write(opened: readonly Opened[]): Promise<void> {
    try {
      const isNew = await Promise.all(
        opened.map(async ({ courseId, personId }) => {
          const { readCourses } = await this.app.ownParts(personId)
          return !readCourses.has(courseId)
        }),
      )
      const first = opened.filter((_opening, index) => isNew[index])
      for (let from = 0; from < first.length; from += MAX_WRITTEN) {
        const some = first.slice(from, from + MAX_WRITTEN)
        const now = performance.now()
        await beginCourseReads(
          this.app.db,
          some.map(({ at, ...opening }) => ({ ...opening, age: now - at })),
        )
      }
    } catch (error) {
      this.app.log.warn({ err: error }, 'courses that count from later on')
    }
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
