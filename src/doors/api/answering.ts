import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import {
  type Answer,
  absolute,
  type Given,
  type Item,
  type Links,
  type Listed,
  type Sent,
} from '../../web/json/endpoint.ts'
import { apiTypeOf } from '../../web/transport/api-types.ts'
import { isFresh } from '../../web/transport/entity-tag.ts'
import { requireUnmodified } from './conditions.ts'

/** @param answer of the endpoint */
export function answer(request: FastifyRequest, reply: FastifyReply, answer: Answer, given: Given) {
  if (request.isReplayed) reply.header('idempotent-replayed', 'true')
  if (answer.kind === 'none' || given === null) return reply.code(204).send()
  const { kind, schema } = answer
  if (isLines(given))
    return reply.type('application/jsonl; charset=utf-8').send(Readable.from(linesOf(given, schema)))
  const shown = ({ links, ...row }: Item) => {
    const url = links.html === undefined ? {} : { url: absolute(request, links.html) }
    return withLinks(request, schema.parse({ ...url, ...row }), links)
  }
  if (kind === 'list') {
    const { items, next } = given as Listed
    const nextUrl = next === null ? null : nextPage(request, next)
    if (nextUrl !== null) reply.header('link', `<${nextUrl}>; rel="next"`)
    const links = { self: request.url, ...(nextUrl !== null && { next: nextUrl }) }
    return send(request, reply, withLinks(request, { items: items.map(shown) }, links))
  }
  const item = given as Item
  const body: Sent = shown(item)
  if (kind === 'created')
    reply.code(201).header('location', absolute(request, item.links.self ?? item.links.html ?? ''))
  else if (body.written_at instanceof Date) {
    const { edited_at: edited, written_at: written } = body
    reply.header('last-modified', (edited instanceof Date ? edited : written).toUTCString())
  }
  return send(request, reply, body)
}

const isLines = (given: object): given is AsyncIterable<object> => Symbol.asyncIterator in given

function withLinks(request: FastifyRequest, body: Sent, links: Links): Sent {
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
 * The tag of an answer: the version of a text, which If-Match compares, and a hash of its bytes, which says
 * whether anything else of it, such as a number of votes, has changed.
 */
function send(request: FastifyRequest, reply: FastifyReply, body: Sent) {
  const text = JSON.stringify(body)
  const digest = hash('sha1', text, 'base64url')
  const etag = `"${body.version === undefined ? '' : `${body.version}-`}${digest}"`
  reply.header('etag', etag).type(`${apiTypeOf(request) ?? 'application/json'}; charset=utf-8`)
  const modified = reply.getHeader('last-modified')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isRead && modified !== undefined) requireUnmodified(request, String(modified))
  if (isRead && isFresh(request.headers, etag, modified === undefined ? undefined : String(modified)))
    return reply.code(304).send()
  return reply.send(text)
}

async function* linesOf(items: AsyncIterable<unknown>, schema: z.ZodObject): AsyncGenerator<string> {
  for await (const item of items) yield `${JSON.stringify(schema.parse(item))}\n`
}
