import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LIMITS } from '../../limits/table.ts'
import type { MemoryCounter } from '../../web/limits/memory-counter.ts'
import { networkOf } from '../../web/limits/network.ts'
import { ApiProblem } from './problem.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Requests of programs in this process. */
    readonly apiRequests: MemoryCounter
  }
}

/**
 * Counts requests by account, whatever the number of tokens; those without one by network; those of a course's tokens by course. What a
 * cached answer costs is nothing: it is not counted, and tells nothing of the limit.
 * Headers: draft-ietf-httpapi-ratelimit-headers-10.
 */
export function registerLimit(scope: FastifyInstance): void {
  const { apiRequests: counter } = scope
  scope.addHook('onRequest', async (request, reply) => {
    if (request.rendering !== null || request.method === 'OPTIONS') return
    const { max, window } = request.tokenAccess === null ? LIMITS.api.address : LIMITS.api.account
    const { count, ttl } = counter.count(nameOf(request), window)
    const seconds = Math.max(1, Math.ceil(ttl / 1000))
    tell(reply, { max, window, left: Math.max(0, max - count), seconds })
    if (count > max) throw new ApiProblem(429, 'tooOften', { headers: { 'retry-after': String(seconds) } })
  })
}

function nameOf({ tokenAccess, ip }: FastifyRequest): string {
  if (tokenAccess === null) return `address ${networkOf(ip)}`
  return tokenAccess.personId === null
    ? `course ${tokenAccess.course?.id ?? 0}`
    : `person ${tokenAccess.personId}`
}

function tell(
  reply: FastifyReply,
  { max, window, left, seconds }: Readonly<Record<'max' | 'window' | 'left' | 'seconds', number>>,
): void {
  reply.header('ratelimit-policy', `"api";q=${max};w=${window / 1000}`)
  reply.header('ratelimit', `"api";r=${left};t=${seconds}`)
}
