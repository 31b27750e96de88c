import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../kernel/problem.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether this process is late with everything. */
    isUnderPressure(): boolean
  }
}

/** Milliseconds by which what was due is late, on average of as many: a page needs several such turns. */
const LATEST = 2000
/** Milliseconds. A single turn as long as that counts as late too: a machine that stands still for a second is none. */
const SAMPLE = 3000
/** Milliseconds between two looks at the clock. */
const RESOLUTION = 10
/** Seconds. */
const RETRY = 5

/**
 * While this process is late with everything, refuses what would make it later: 503, and when to try again. Still answered are
 * cached pages (page-cache/ comes before this), health and assets, which cost next to nothing. That the database is busy is
 * known to its pool (database/connection.ts), which has an end as well.
 */
export function registerShedding(app: FastifyInstance): void {
  const lateness = monitorEventLoopDelay({ resolution: RESOLUTION })
  let delay = 0
  let timer: NodeJS.Timeout | undefined
  // From here on: while the forum starts, no request waits.
  app.addHook('onReady', async () => {
    lateness.enable()
    // Reads nothing but the clock: it must not need a file where a process has none left.
    timer = setInterval(() => {
      delay = Number.isNaN(lateness.mean) ? Number.POSITIVE_INFINITY : lateness.mean / 1e6 - RESOLUTION
      lateness.reset()
    }, SAMPLE).unref()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    lateness.disable()
  })
  app.decorate('isUnderPressure', () => delay > LATEST)
  app.addHook('onRequest', async (request) => {
    const isCheap = request.routeOptions.config.isPublic === true
    // A form is refused when it has been read: what somebody typed is on the error's page.
    if (app.isUnderPressure() && !isCheap && request.method !== 'POST') throw overloaded()
  })
  app.addHook('preValidation', async (request) => {
    if (request.method === 'POST' && app.isUnderPressure()) throw overloaded()
  })
}

function overloaded(): Problem {
  return new Problem('unavailable', RETRY)
}
