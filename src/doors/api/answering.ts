import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import {
  absolute,
  type Endpoint,
  type Given,
  type Item,
  type Links,
  type Listed,
  type Sent,
} from '../../web/json/endpoint.ts'
import { apiTypeOf, HAL_FORMS } from '../../web/transport/api-types.ts'
import { isFresh } from '../../web/transport/entity-tag.ts'
import { requireUnmodified } from './conditions.ts'
import { halList, halResource } from './hal.ts'
import { templatesOf } from './templates.ts'

export async function answer(request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint, given: Given) {
  const { answer } = endpoint
  if (request.isReplayed) reply.header('idempotent-replayed', 'true')
  if (answer.kind === 'none' || given === null) return reply.code(204).send()
  const { kind, schema } = answer
  if (isLines(given))
    return reply.type('application/jsonl; charset=utf-8').send(Readable.from(linesOf(given, schema)))
  const templates = async (body: Sent) =>
    apiTypeOf(request) === HAL_FORMS ? { _templates: await templatesOf(request, endpoint, body) } : {}
  if (kind === 'list') {
    const { items, next, nextIn, beside = {} } = given as Listed
    const nextUrl = next === null ? null : nextPage(request, next, nextIn)
    if (nextUrl !== null) reply.header('link', `<${nextUrl}>; rel="next"`)
    const links = { self: request.url, ...(nextUrl !== null && { next: nextUrl }) }
    const shown = items.map((item) => shownIn(request, schema, item))
    return send(request, reply, { ...listOf(request, shown, links, beside), ...(await templates({})) })
  }
  const item = given as Item
  const body = shownIn(request, schema, item)
  if (kind === 'created')
    reply.code(201).header('location', absolute(request, item.links.self ?? item.links.html ?? ''))
  else if (body.written_at instanceof Date) {
    const { edited_at: edited, written_at: written } = body
    reply.header('last-modified', (edited instanceof Date ? edited : written).toUTCString())
  }
  return send(request, reply, { ...body, ...(await templates(body)) })
}

/** An item with what is in it, in the form that is asked for. */
function shownIn(request: FastifyRequest, schema: z.ZodObject, { links, within = {}, ...row }: Item): Sent {
  const url = links.html === undefined ? {} : { url: absolute(request, links.html) }
  const body = schema.parse({ ...url, ...row })
  const type = apiTypeOf(request)
  const parts = Object.entries(within).map(([name, list]) => {
    const items = list.items.map((item) => shownIn(request, list.schema, item))
    return [name, type === HAL_FORMS ? halList(request, list, items) : { items, next: list.next }]
  })
  if (type === HAL_FORMS) return halResource(request, body, links, Object.fromEntries(parts))
  const whole = { ...body, ...Object.fromEntries(parts) }
  return type === 'application/hal+json' ? halResource(request, whole, links) : whole
}

function listOf(request: FastifyRequest, items: readonly Sent[], links: Links, beside: Sent): Sent {
  const type = apiTypeOf(request)
  if (type === HAL_FORMS) return { ...halResource(request, beside, links), _embedded: { item: items } }
  const body = { items, ...beside }
  return type === 'application/hal+json' ? halResource(request, body, links) : body
}

const isLines = (given: object): given is AsyncIterable<object> => Symbol.asyncIterator in given

function nextPage(request: FastifyRequest, cursor: string, parameter = 'cursor'): string {
  const url = new URL(absolute(request, request.url))
  url.searchParams.set(parameter, cursor)
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
