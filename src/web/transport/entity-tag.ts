import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** The strong ETag (RFC 9110, 8.8.3) of a text. */
export function entityTag(text: string | Buffer): string {
  return `"${hash('sha1', text, 'base64')}"`
}

/** Whether If-None-Match names this tag: entity tags are compared weakly (RFC 9110, 13.1.2). */
export function isKnownTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return header === '*' || header.split(',').some((one) => opaque(one) === opaque(etag))
}

/**
 * Whether somebody who asks has this already (RFC 9110, 13.2.2): by its tag, or, where they name none, by
 * when it was last changed.
 * @param modified its Last-Modified; undefined: it has none
 */
export function isFresh(headers: IncomingHttpHeaders, etag: string, modified: string | undefined): boolean {
  const { 'if-none-match': tags, 'if-modified-since': since } = headers
  if (tags !== undefined) return isKnownTag(tags, etag)
  if (since === undefined || modified === undefined) return false
  return Date.parse(modified) <= Date.parse(since)
}

/** Gives what browsers may store an ETag, and answers 304 to those who have it. What they may not store is never asked for again. */
export function registerEntityTags(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isStored = !String(reply.getHeader('cache-control')).includes('no-store')
    if (!isStored || !(typeof payload === 'string' || payload instanceof Buffer)) return done(null, payload)
    const etag = reply.getHeader('etag') ?? entityTag(payload)
    reply.header('etag', etag)
    if (!isKnownTag(request.headers['if-none-match'], String(etag))) return done(null, payload)
    reply.code(304)
    done(null, '')
  })
}
