import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { apiTypeOf } from '../../web/transport/api-types.ts'
import { isFresh } from '../../web/transport/entity-tag.ts'

/** The prefix of every path below. */
export const API = '/api/v1'

export function answer(request: FastifyRequest, reply: FastifyReply, outcome: Outcome<unknown>) {
  if (request.isReplayed) reply.header('idempotent-replayed', 'true')
  switch (outcome.kind) {
    case 'none':
      return reply.code(204).send()
    case 'lines':
      return reply.type('application/jsonl; charset=utf-8').send(Readable.from(linesOf(outcome.lines)))
    case 'list': {
      const { items, next } = outcome
      const nextUrl = next === null ? null : nextPage(request, next)
      if (nextUrl !== null) reply.header('link', `<${nextUrl}>; rel="next"`)
      const links = { self: request.url, ...(nextUrl !== null && { next: nextUrl }) }
      const body = { items: items.map((item) => written(request, item)) }
      return send(request, reply, written(request, { body, links }), null)
    }
    case 'created':
      reply.code(201).header('location', absolute(request, outcome.url))
      return send(request, reply, written(request, outcome.one), outcome.version)
    case 'one':
      if (outcome.modifiedAt !== null) reply.header('last-modified', outcome.modifiedAt.toUTCString())
      return send(request, reply, written(request, outcome.one), outcome.version)
  }
}

export function absolute({ server }: FastifyRequest, path: string): string {
  return path.startsWith('/') ? `${server.config.baseUrl}${path}` : path
}

function written(request: FastifyRequest, { body, links }: Linked<unknown>): object {
  if (apiTypeOf(request) !== 'application/hal+json') return body as object
  return { ...(body as object), _links: halLinks(request, links) }
}

function halLinks(request: FastifyRequest, links: Links) {
  return Object.fromEntries(
    Object.entries(links).map(([relation, path]) => [relation, { href: absolute(request, path) }]),
  )
}

function nextPage(request: FastifyRequest, cursor: string): string {
  const url = new URL(absolute(request, request.url))
  url.searchParams.set('cursor', cursor)
  return url.href
}

/**
 * The tag of an answer: its version, which If-Match compares, and a hash of its bytes, which says whether anything else of it,
 * such as a number of votes, has changed.
 */
function send(request: FastifyRequest, reply: FastifyReply, body: object, version: number | null) {
  const text = JSON.stringify(body)
  const digest = hash('sha1', text, 'base64url')
  const etag = `"${version === null ? '' : `${version}-`}${digest}"`
  reply.header('etag', etag).type(`${apiTypeOf(request) ?? 'application/json'}; charset=utf-8`)
  const modified = reply.getHeader('last-modified')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isRead && isFresh(request.headers, etag, modified === undefined ? undefined : String(modified)))
    return reply.code(304).send()
  return reply.send(text)
}

async function* linesOf(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(item)}\n`
}

/** Addresses beside a body, by relation: paths of ours. Shown to those who ask for HAL. */
export type Links = Readonly<Record<string, string>>

export interface Linked<Body> {
  readonly body: Body
  readonly links: Links
}

export type Outcome<Body> =
  | {
      readonly kind: 'one'
      readonly one: Linked<Body>
      /** The version of its text, which If-Match compares; null: the API doesn't edit it. */
      readonly version: number | null
      readonly modifiedAt: Date | null
    }
  | {
      readonly kind: 'list'
      readonly items: readonly Linked<unknown>[]
      /** Cursor of the page after; null: this is the last. */
      readonly next: string | null
    }
  | {
      readonly kind: 'created'
      readonly one: Linked<Body>
      readonly version: number | null
      /** Path of what was written, from the root. */
      readonly url: string
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'lines'; readonly lines: AsyncIterable<unknown> }

export function one<Body>(
  one: Linked<Body>,
  {
    version = null,
    modifiedAt = null,
  }: { readonly version?: number | null; readonly modifiedAt?: Date | null } = {},
): Outcome<Body> {
  return { kind: 'one', one, version, modifiedAt }
}

export function list(items: readonly Linked<unknown>[], next: string | null = null): Outcome<never> {
  return { kind: 'list', items, next }
}
