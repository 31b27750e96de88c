import rateLimit, { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { countTry, type Tries } from '../../database/tries.ts'
import { type Cap, LIMITS, type Limit, type LimitRow } from '../../kernel/limits.ts'
import { isNewcomer } from '../../kernel/newcomers.ts'
import { Problem } from '../../kernel/problem.ts'
import { atMost } from '../../text/words/remembered.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    limit?: Limit
  }
  interface FastifyInstance {
    readonly renderLimit: RenderLimit
  }
}

/**
 * Routes name their limit in their config: `{ config: { limit: 'posting' } }`. It counts by account, of visitors by network;
 * rows of the table that say so count by network always, in addition.
 */
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
      tooOften(isSlow(request) ? 'firstDay' : 'tooOften', context.ttl),
  })
  limitNetworks(app)
}

/** Counts for their network what people do who are signed in; visitors are counted by it anyway. */
function limitNetworks(app: FastifyInstance): void {
  const rows = Object.entries<LimitRow>(LIMITS).filter(([, row]) => row.isAlwaysOfNetwork === true)
  const counters = new Map(
    rows.map(([limit, { address }]) => {
      const bounds = { max: address.max, timeWindow: address.window }
      return [limit, app.createRateLimit({ keyGenerator: networkKey, ...bounds })] as const
    }),
  )
  app.addHook('preValidation', async (request) => {
    const count = counters.get(request.routeOptions.config.limit ?? '')
    if (count === undefined || request.person === null) return
    const counted = await count(request)
    if (!counted.isAllowed && counted.isExceeded) throw tooOften('tooOften', counted.ttl)
  })
}

/** @param ttl milliseconds until the count restarts */
function tooOften(key: 'tooOften' | 'firstDay', ttl: number): Problem {
  return new Problem(key, Math.max(1, Math.ceil(ttl / 1000)))
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
  if (person === null) return networkKey(request)
  // Tokens of a course act for no account (accounts/tokens/access.ts): each course counts for itself.
  if (person.id === 0) return `${request.routeOptions.config.limit} course ${person.onlyCourseIds}`
  // Counted apart, as an hour of a newcomer's is not ten minutes of all others'.
  const kind = isSlow(request) ? 'newcomer' : 'person'
  return `${request.routeOptions.config.limit} ${kind} ${person.id}`
}

function networkKey({ routeOptions, ip }: FastifyRequest): string {
  return `${routeOptions.config.limit} address ${networkOf(ip)}`
}

type Counted = (error: Error | null, result?: { current: number; ttl: number }) => void

const OF_PROCESS = new Set(
  Object.entries<LimitRow>(LIMITS).flatMap(([limit, row]) => (row.isOfProcess === true ? [limit] : [])),
)

/** Where @fastify/rate-limit counts: in the database or memory, by the limit's name, which routes share. */
function limitStoreOf({ db }: FastifyInstance) {
  const memory = new MemoryCounter()
  return class LimitStore {
    incr(key: string, counted: Counted, timeWindow: number): void {
      const isOfProcess = OF_PROCESS.has(key.split(' ', 1)[0] ?? '')
      Promise.resolve(isOfProcess ? memory.count(key, timeWindow) : countTry(db, key, timeWindow)).then(
        ({ count, ttl }) => counted(null, { current: count, ttl }),
        (error: Error) => counted(error),
      )
    }

    child(): LimitStore {
      return this
    }
  }
}

const MAX_COUNTERS = 20_000

/** Counts what bounds the work of this process alone. The least recently used counters go first. */
export class MemoryCounter {
  /** `endsAt`: of performance.now(). */
  private readonly counters = new LRUCache<string, { count: number; readonly endsAt: number }>(
    atMost(MAX_COUNTERS),
  )

  /** Counts one more. @param window milliseconds, from the first time on */
  count(key: string, window: number): Tries {
    // Of the process: the system's time may be set back by an hour.
    const now = performance.now()
    const known = this.counters.get(key)
    const counter = known !== undefined && known.endsAt > now ? known : { count: 0, endsAt: now + window }
    counter.count += 1
    this.counters.set(key, counter)
    return { count: counter.count, ttl: Math.ceil(counter.endsAt - now) }
  }
}

/** Bits that all addresses of one IPv6 customer share: each gets at least a /64 to take addresses from (RFC 6177). */
const IPV6_PREFIX = 64

/**
 * The network that is counted for `request.ip`: the /64 of an IPv6 address, an IPv4 one itself
 * (`::ffff:192.0.2.1`, too).
 */
export function networkOf(address: string): string {
  return normalizeIP(address, IPV6_PREFIX)
}

/**
 * Counts the pages that one account or network has this process render: those from the page cache cost next
 * to nothing and are not counted. It counts in memory, as the work that it bounds is this process's own.
 */
export class RenderLimit {
  private readonly counter = new MemoryCounter()

  /** @throws Problem 429 beyond the limit `pages` */
  count({ person, ip }: { readonly person: { readonly id: number } | null; readonly ip: string }): void {
    const { max, window } = person === null ? LIMITS.pages.address : LIMITS.pages.account
    const key = person === null ? networkOf(ip) : `person ${person.id}`
    const { count, ttl } = this.counter.count(key, window)
    if (count > max) throw tooOften('tooOften', ttl)
  }
}

/**
 * Limits pages rendered for one request, where others are cached. Register it after what answers from a
 * cache.
 */
export function registerRenderLimit(app: FastifyInstance): void {
  app.decorate('renderLimit', new RenderLimit())
  app.addHook('preValidation', async (request) => {
    const { isPublic, isApi, limit } = request.routeOptions.config
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isCounted =
      isRead && request.rendering === null && isPublic !== true && isApi !== true && limit === undefined
    if (isCounted && app.changes?.isLive === true && app.config.pageCache) app.renderLimit.count(request)
  })
}
