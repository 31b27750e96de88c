import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { KeptTokens, TokenAccess } from '../../accounts/tokens/access.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { Person } from '../../kernel/rights/person.ts'
import type { Endpoint } from '../../web/json/endpoint.ts'
import { type MemoryCounter, networkOf } from '../../web/limits/limits.ts'
import { ApiProblem, insufficientScope, unauthorized } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The access that a program's token gives; null: it sent none, or the request is a browser's. */
    tokenAccess: TokenAccess | null
  }
  interface FastifyInstance {
    readonly apiTokens: KeptTokens
  }
}

/** Knows who a program acts for, by its token alone: cookies never get here (withoutCookies). */
export function registerAccess(scope: FastifyInstance): void {
  scope.decorateRequest('tokenAccess', null)
  scope.decorateRequest('isReplayed', false)
  scope.addHook('onRequest', async (request) => {
    const token = tokenIn(request)
    if (token === null || request.rendering !== null) return
    const access = await scope.apiTokens.accessOf(token)
    if (access === null) throw unauthorized('invalid_token')
    request.tokenAccess = access
    request.person = access.person
  })
}

/** null: there is none; empty: what is there can be none of ours. */
export function tokenIn({ headers: { authorization } }: FastifyRequest): string | null {
  if (authorization === undefined) return null
  return /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1] ?? ''
}

/** @throws ApiProblem 401 or 403 unless the token, or none, is enough for an endpoint */
export function requireScope({ tokenAccess }: FastifyRequest, { scopes, isPublic }: Endpoint): void {
  if (tokenAccess === null) {
    if (!isPublic) throw unauthorized()
    return
  }
  if (!scopes.every((scope) => tokenAccess.scopes.includes(scope))) throw insufficientScope(scopes.join(' '))
}

/** @throws ApiProblem 401 without a token */
export function accessOf({ tokenAccess }: FastifyRequest): TokenAccess {
  if (tokenAccess === null) throw unauthorized()
  return tokenAccess
}

/** The person a token acts for. @throws ApiProblem 403 for a token of a course, which acts for no one */
export function personOf(request: FastifyRequest): Person {
  const { person, personId } = accessOf(request)
  if (personId === null) throw new ApiProblem('personNeeded')
  return person
}

declare module 'fastify' {
  interface FastifyInstance {
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
    if (count > max) throw new ApiProblem('tooOften', { headers: { 'retry-after': String(seconds) } })
  })
}

/** What a program counts as. */
export function nameOf({ tokenAccess, ip }: FastifyRequest): string {
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
