import type { FastifyInstance } from 'fastify'
import { type Aggregator, collectDefaultMetrics, Registry } from 'prom-client'
import { countRequests } from './requests.ts'

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
