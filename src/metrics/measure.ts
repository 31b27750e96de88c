import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { countRequests } from './requests.ts'

/**
 * Begins to measure an app that has nothing registered yet.
 * @returns what was measured, for whoever reads it: requests at once, and all there is of the process and its event loop
 */
export function measure(app: FastifyInstance): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  countRequests(app, registry)
  return registry
}
