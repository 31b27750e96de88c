import type { FastifyInstance } from 'fastify'
import { Counter, Histogram, type Registry } from 'prom-client'
import { Tally } from './tally.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Where answers of this route are counted; none while nobody measures. */
    tally?: Tally
    /** An answer that goes on for as long as somebody reads: how long says nothing. */
    isStream?: boolean
  }
}

/** Seconds: from a page that was kept to one that waited for as long as it may. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * Counts answers by route and status, and how long they took. To be called before anything else is registered: it has to see
 * every route. A kept page takes 20 µs, and passes the framework by: page-cache/shared-pages.ts counts it itself.
 */
export function countRequests(app: FastifyInstance, registry: Registry): void {
  const durations = durationsIn(registry)
  const nowhere = new Tally('', '(none)', durations)
  const tallies = [nowhere]
  app.addHook('onRoute', (route) => {
    const tally = new Tally(String(route.method), route.url, durations)
    tallies.push(tally)
    route.config = { ...route.config, tally }
  })
  app.addHook('onResponse', (request, reply, done) => {
    // Made to be kept: who asked for it is counted.
    if (request.shown !== null) return done()
    const { tally = nowhere, isStream } = request.routeOptions.config
    tally.answered(reply.statusCode, isStream === true ? null : reply.elapsedTime)
    done()
  })
  countsIn(registry, tallies)
}

function durationsIn(registry: Registry): Histogram<'route'> {
  return new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from a request to the end of its answer, by route pattern',
    labelNames: ['route'],
    buckets: BUCKETS,
    registers: [registry],
  })
}

function countsIn(registry: Registry, tallies: readonly Tally[]): void {
  const counts = new Counter({
    name: 'http_requests_total',
    help: 'Answers by method, route pattern and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      counts.reset()
      for (const { method, route, statuses } of tallies) {
        for (const [status, count] of statuses) counts.inc({ method, route, status }, count)
      }
    },
  })
}
