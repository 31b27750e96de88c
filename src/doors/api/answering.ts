import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { apiTypeOf } from '../../web/transport/api-types.ts'
import { isFresh } from '../../web/transport/entity-tag.ts'
import type { Answer, Item, Links, Outcome } from './endpoint.ts'

/** @param answer of the endpoint */
export function answer(request: FastifyRequest, reply: FastifyReply, answer: Answer, outcome: Outcome) {
  if (request.isReplayed) reply.header('idempotent-replayed', 'true')
  if (outcome.kind === 'none' || answer.kind === 'none') return reply.code(204).send()
  const { schema } = answer
  const shown = ({ links, ...row }: Item) => {
    const url = links.html === undefined ? {} : { url: absolute(request, links.html) }
    return withLinks(request, schema.parse({ ...url, ...row }), links)
  }
  switch (outcome.kind) {
    case 'lines':
      return reply
        .type('application/jsonl; charset=utf-8')
        .send(Readable.from(linesOf(outcome.lines, schema)))
    case 'list': {
      const { items, next } = outcome
      const nextUrl = next === null ? null : nextPage(request, next)
      if (nextUrl !== null) reply.header('link', `<${nextUrl}>; rel="next"`)
      const links = { self: request.url, ...(nextUrl !== null && { next: nextUrl }) }
      return send(request, reply, withLinks(request, { items: items.map(shown) }, links), null)
    }
    case 'created':
      reply.code(201).header('location', absolute(request, outcome.url))
      return send(request, reply, shown(outcome.item), outcome.version)
    case 'one':
      if (outcome.modifiedAt !== null) reply.header('last-modified', outcome.modifiedAt.toUTCString())
      return send(request, reply, shown(outcome.item), outcome.version)
  }
}

export function absolute({ server }: FastifyRequest, path: string): string {
  return path.startsWith('/') ? `${server.config.baseUrl}${path}` : path
}

function withLinks(request: FastifyRequest, body: object, links: Links): object {
  return apiTypeOf(request) === 'application/hal+json' ? { ...body, _links: halLinks(request, links) } : body
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

async function* linesOf(items: AsyncIterable<unknown>, schema: z.ZodObject): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(schema.parse(item))}\n`
}
