import type { FastifyInstance } from 'fastify'
import { Problem } from './problem.ts'

/** Where requests go whose address is none: a route like any other, so that its page has session, headers and layout. */
const UNREADABLE = '/bad-request'

/**
 * For Fastify's rewriteUrl: the address to look for. One whose path or query is not percent-encoded UTF-8 could never
 * reach a route, and Fastify would answer it by itself, in JSON.
 */
export function readableAddress(url: string): string {
  try {
    decodeURIComponent(url)
    return url
  } catch {
    return UNREADABLE
  }
}

/** The answer to all of them: 400. Before a form's token is looked at, as no form could be sent there. */
export function registerUnreadable(app: FastifyInstance): void {
  const refuse = async () => {
    throw new Problem(400, 'badRequest')
  }
  app.all(UNREADABLE, { preValidation: refuse }, refuse)
}
