import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../kernel/problem.ts'

/** Where requests go whose address is none: a route like any other, so that its page has session, headers and layout. */
export const UNREADABLE = '/bad-request'

/** Tells whether a path is the API's, whose errors are for programs. */
export const UNREADABLE_API = '/api/bad-request'

/** Whether an address is one of those for programs (src/doors/api). The page `/api` describes them. */
export function isApiAddress(address: string): boolean {
  return address.startsWith('/api/')
}

/** Pages whose addresses end in words, up to those, which mail and chat programs break: the number alone says which page it is. */
const BEFORE_SLUG = /^(\/(?:questions|people|announcements)\/\d+)\/[^?#]*/

/** An address without a page: the router drops a slash at the end, so that `//` would be the front page. */
const MISSING = '/no-such-page'

/**
 * For Fastify's rewriteUrl: the address to look for. Fastify answers an address that its router cannot read by itself, in
 * JSON, without our headers and without a line in the log: `*`, a target that is no path, and a path or query that is not
 * percent-encoded UTF-8.
 * @param target the request's target, as it was sent; in absolute form (RFC 9112, 3.2.2) its path and query count
 */
export function readableAddress(target: string): string {
  const typed = pathOf(target)
  const address = isEncoded(typed) ? typed : typed.replace(BEFORE_SLUG, '$1')
  if (!address.startsWith('/') || !isEncoded(address))
    return isApiAddress(address) ? UNREADABLE_API : UNREADABLE
  return /^\/{2,}(?:[?#]|$)/.test(address) ? MISSING : address
}

/** Path and query of a target in absolute form; any other target as it is. */
function pathOf(target: string): string {
  const [origin] = /^https?:\/\/[^/?#]*/i.exec(target) ?? []
  if (origin === undefined) return target
  const path = target.slice(origin.length)
  return path.startsWith('/') ? path : `/${path}`
}

function isEncoded(address: string): boolean {
  try {
    decodeURIComponent(address)
    return true
  } catch {
    return false
  }
}

/** The answer to all of them: 400. Before a form's token is looked at, as no form could be sent there. */
export function registerUnreadable(app: FastifyInstance): void {
  const refuse = async () => {
    throw new Problem('badRequest')
  }
  app.all(UNREADABLE, { preValidation: refuse }, refuse)
}

/**
 * The address a request came from, as Fastify's `request.ip`: proxies are believed as far as they are
 * trusted.
 */
export function addressOf(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  if (trustProxy.length === 0) return ({ socket }) => socket.remoteAddress ?? ''
  const isTrusted = proxyAddr.compile([...trustProxy])
  return (request) => proxyAddr(request, isTrusted)
}
