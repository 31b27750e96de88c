import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Aggregator, Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { Tally } from '../../web/tally.ts'
import { EVENT_STREAM } from '../../web/transport/api-types.ts'

/** Figures that alerts watch in each process: of several, the worst counts, where prom-client adds or averages them. */
const WORST: Readonly<Record<string, Aggregator>> = {
  process_resident_memory_bytes: 'max',
  process_open_fds: 'max',
  process_max_fds: 'min',
  nodejs_eventloop_lag_p99_seconds: 'max',
}

/**
 * Starts to measure an app; call it before anything is registered.
 * @returns a reader of the metrics: requests, process and event loop
 */
export function measure(app: FastifyInstance): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const [name, aggregator] of Object.entries(WORST))
    Object.assign(registry.getSingleMetric(name) ?? {}, { aggregator })
  countRequests(app, registry)
  return registry
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Counts the answers of this route; absent without metrics. */
    tally?: Tally
  }
}

/** An endless answer, which has no meaningful duration. */
const isStream = ({ raw }: FastifyReply) => String(raw.getHeader('content-type')).startsWith(EVENT_STREAM)

/** Bucket bounds in seconds: from a cached page to one that ran into a timeout. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/**
 * Counts responses by route and status, and measures their duration. Call it before anything else is
 * registered: it has to see every route. A cached page that bypasses the framework is counted in
 * page-cache/page-cache.ts.
 */
function countRequests(app: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from a request to the end of its answer, by route pattern and class of status',
    labelNames: ['route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  })
  const nowhere = new Tally('', '(none)', durations)
  const tallies = [nowhere]
  app.addHook('onRoute', (route) => {
    const tally = new Tally(String(route.method), route.url, durations)
    tallies.push(tally)
    route.config = { ...route.config, tally }
  })
  app.addHook('onResponse', (request, reply, done) => {
    // Rendered for the cache: the requests that it answers are counted instead.
    if (request.rendering !== null) return done()
    const { tally = nowhere } = request.routeOptions.config
    tally.answered(reply.statusCode, isStream(reply) ? null : reply.elapsedTime)
    done()
  })
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
