import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { limitStoreOf } from './limit-store.ts'
import { networkOf } from './network.ts'
import { Problem } from './problem.ts'

/**
 * How often something may be done. Per account once signed in, per address before. A whole class may share one address,
 * so the limits per address leave room for a lecture hall; guessing one account's password is limited by accounts/guesses.ts.
 */
export const LIMITS = {
  /** Questions, answers, replies, edits: 3,000 in ten minutes; 300 by visitors, whose text is kept until they sign in. */
  posting: { max: 3000, visitors: 300, timeWindow: 10 * 60_000 },
  /** Votes, acceptances, resolutions: 600 a minute. */
  voting: { max: 600, timeWindow: 60_000 },
  /** Sending the sign-in form: 300 in a quarter of an hour. */
  signIn: { max: 300, timeWindow: 15 * 60_000 },
  /** New accounts: 300 an hour. */
  signUp: { max: 300, timeWindow: 60 * 60_000 },
  /** Asking for a mail with a link, to a new password or to confirm an address: 100 an hour; five an hour to one account. */
  mail: { max: 100, timeWindow: 60 * 60_000 },
  /** Downloads of all one wrote: 20 an hour. */
  download: { max: 20, timeWindow: 60 * 60_000 },
  /** Searches: 240 a minute. */
  search: { max: 240, timeWindow: 60_000 },
  /** Suggestions and similar questions while typing: 600 a minute. */
  suggestions: { max: 600, timeWindow: 60_000 },
  /** Previews of Markdown, which cost most: 60 a minute. */
  preview: { max: 60, timeWindow: 60_000 },
} as const

export type Limit = keyof typeof LIMITS

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
    const { max, timeWindow, ...less } = LIMITS[limit]
    const visitors = 'visitors' in less ? less.visitors : max
    const rateLimit = {
      timeWindow,
      max: (request: FastifyRequest) => (request.person === null ? visitors : max),
    }
    route.config = { ...route.config, rateLimit }
  })
  await app.register(rateLimit, {
    global: false,
    // Before csrf.ts keeps a visitor's text in the database, which must not be filled; after the body was read.
    hook: 'preValidation',
    store: limitStoreOf(app),
    keyGenerator,
    errorResponseBuilder: (_request, context) =>
      new Problem(429, 'tooOften', Math.max(1, Math.ceil(context.ttl / 1000))),
  })
}

function keyGenerator(request: FastifyRequest): string {
  const who = request.person === null ? `address ${networkOf(request.ip)}` : `person ${request.person.id}`
  return `${request.routeOptions.config.limit} ${who}`
}
