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

/** Entity tags with commas between (RFC 9110, 8.8.3); empty elements of the list count as nothing. */
const TAG_LIST = /^[\t ,]*(?:(?:W\/)?"[!\x23-\x7e\x80-\xff]*"[\t ]*(?:,[\t ,]*|$))+$/

/** Tags in a condition; '*': any. null: it can't be read. */
export function tagsIn(header: string): '*' | readonly string[] | null {
  if (header.trim() === '*') return '*'
  return TAG_LIST.test(header) ? (header.match(/(?:W\/)?"[^"]*"/g) ?? []) : null
}

/** The three forms of an HTTP date (RFC 9110, 5.6.7). */
const HTTP_DATE =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})$/

const isHttpDate = (header: string) => HTTP_DATE.test(header.trim()) && !Number.isNaN(Date.parse(header))

/** The first condition that can't be read; null: all can. */
export function brokenCondition(headers: IncomingHttpHeaders): string | null {
  const broken = (names: readonly string[], isRead: (header: string) => boolean) =>
    names.find((name) => headers[name] !== undefined && !isRead(String(headers[name])))
  return (
    broken(['if-match', 'if-none-match'], (header) => tagsIn(header) !== null) ??
    broken(['if-modified-since', 'if-unmodified-since'], isHttpDate) ??
    null
  )
}

/** Whether something was changed after If-Unmodified-Since, which counts where no If-Match does (RFC 9110, 13.2.2). */
export function isChangedSince(headers: IncomingHttpHeaders, modified: string | Date): boolean {
  const { 'if-match': tags, 'if-unmodified-since': since } = headers
  if (tags !== undefined || since === undefined) return false
  return Math.floor(new Date(modified).getTime() / 1000) * 1000 > Date.parse(since)
}

/** Gives what browsers may store an ETag, and answers 304 to those who have it. What they may not store is never asked for again. */
export function registerEntityTags(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isStored = !String(reply.getHeader('cache-control')).includes('no-store')
    if (!isStored || !(typeof payload === 'string' || payload instanceof Buffer)) return done(null, payload)
    const etag = reply.getHeader('etag') ?? entityTag(payload)
    reply.header('etag', etag)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!isRead || !isKnownTag(request.headers['if-none-match'], String(etag))) return done(null, payload)
    reply.code(304)
    done(null, '')
  })
}
