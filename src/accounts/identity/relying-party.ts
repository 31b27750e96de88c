import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { notFound } from '../../kernel/problem.ts'

/** The forum as authenticators know it. */
export interface RelyingParty {
  /** The host name that passkeys belong to, for good. */
  readonly id: string
  readonly origin: string
}

/**
 * By BASE_URL alone, never by what a request says.
 * @returns null where browsers offer no passkeys: they belong to a host name (no IP address), by https or on
 *   this machine (WebAuthn Level 3, 5.1.3 and 13.1)
 */
export function relyingPartyOf(baseUrl: string): RelyingParty | null {
  const { protocol, hostname, origin } = new URL(baseUrl)
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[')
  const isHere = hostname === 'localhost' || hostname.endsWith('.localhost')
  return isAddress || (protocol !== 'https:' && !isHere) ? null : { id: hostname, origin }
}

/** The same for what makes no sense without. @throws Problem 404 where this forum has no passkeys */
export function requireRelyingParty(request: FastifyRequest): RelyingParty {
  const party = relyingPartyOf(request.server.config.baseUrl)
  if (party === null) throw notFound()
  return party
}
