import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isNewcomer } from '../limits/newcomers.ts'
import { type Cap, LIMITS, type Limit, type LimitRow } from '../limits/table.ts'
import { limitStoreOf } from './limit-store.ts'
import { networkOf } from './network.ts'
import { Problem } from './problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    limit?: Limit
  }
}

/** Routes name their limit in their config: `{ config: { limit: 'posting' } }`. */
export async function registerLimits(app: FastifyInstance): Promise<void> {
  // First: the plugin reads a route's rateLimit in a hook of its own, and hooks run in their order.
  app.addHook('onRoute', (route) => {
    const limit = route.config?.limit
    if (limit === undefined) return
    const row = LIMITS[limit]
    const rateLimit = {
      max: (request: FastifyRequest) => capOf(row, request).max,
      timeWindow: (request: FastifyRequest) => capOf(row, request).window,
    }
    route.config = { ...route.config, rateLimit }
  })
  await app.register(rateLimit, {
    global: false,
    // Before csrf.ts keeps a visitor's text in the database, which must not be filled; after the body was read.
    hook: 'preValidation',
    store: limitStoreOf(app),
    keyGenerator,
    errorResponseBuilder: (request, context) =>
      new Problem(429, isSlow(request) ? 'firstDay' : 'tooOften', Math.max(1, Math.ceil(context.ttl / 1000))),
  })
}

function capOf({ account, address, newcomer = account }: LimitRow, { person }: FastifyRequest): Cap {
  if (person === null) return address
  return isNewcomer(person) ? newcomer : account
}

/** Whether the limit of somebody is that of newcomers, and another than for all others. */
function isSlow({ person, routeOptions }: FastifyRequest): boolean {
  const limit = routeOptions.config.limit
  return person !== null && isNewcomer(person) && limit !== undefined && 'newcomer' in LIMITS[limit]
}

function keyGenerator(request: FastifyRequest): string {
  const { person } = request
  // Counted apart, as an hour of a newcomer's is not ten minutes of all others'.
  const kind = person !== null && isSlow(request) ? 'newcomer' : 'person'
  const who = person === null ? `address ${networkOf(request.ip)}` : `${kind} ${person.id}`
  return `${request.routeOptions.config.limit} ${who}`
}
