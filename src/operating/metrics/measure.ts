import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { countRequests } from './requests.ts'

/**
 * Starts to measure an app; call it before anything is registered.
 * @returns a reader of the metrics: requests, process and event loop
 */
export function measure(app: FastifyInstance): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  countRequests(app, registry)
  return registry
}
