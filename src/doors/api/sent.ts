import type { FastifyInstance, FastifyRequest } from 'fastify'
import { metaOf, optionalFlag } from '../../kernel/fields.ts'
import { BODY_LIMIT } from '../../kernel/limits.ts'
import { sentFields } from '../../web/form.ts'
import { type Call, type Endpoint, InvalidParameter, MERGE_PATCH } from '../../web/json/endpoint.ts'
import { isOfType, schemaOfField } from '../../web/json/field-schema.ts'
import { queryParam } from '../../web/params.ts'
import { ApiProblem, strangeMembers } from './problem.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** A JSON body as it came, byte for byte; null: there is none. */
    sentBytes: Buffer | null
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Bodies are JSON, in UTF-8, and no larger than a form. */
export function registerBodies(scope: FastifyInstance): void {
  scope.decorateRequest('sentBytes', null)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    ['application/json', MERGE_PATCH],
    { parseAs: 'buffer', bodyLimit: BODY_LIMIT },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (request.method !== 'PATCH' && isPatch(request)) throw new ApiProblem('unsupportedType')
      request.sentBytes = bytes
      return parsed(bytes)
    },
  )
}

const isPatch = ({ headers }: FastifyRequest) =>
  headers['content-type']?.trimStart().toLowerCase().startsWith(MERGE_PATCH) === true

/** @throws ApiProblem 400 for what is no JSON, 422 for a member that is there twice; undefined: nothing was sent */
function parsed(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  let text: string
  let value: unknown
  try {
    text = utf8.decode(bytes)
    value = JSON.parse(text)
  } catch {
    throw new ApiProblem('invalidJson')
  }
  const doubled = doubledMembers(text)
  if (doubled.length > 0) throw strangeMembers(doubled, 'doubledMember')
  return value
}

/** Names that the object of a JSON text has twice: JSON.parse keeps the last and says nothing. Objects inside of it are no values here. */
function doubledMembers(json: string): string[] {
  const names = new Set<string>()
  const doubled = new Set<string>()
  let depth = 0
  for (const [token, text, colon] of json.matchAll(/("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1
    else if (token === '}' || token === ']') depth -= 1
    else if (depth === 1 && text !== undefined && colon !== undefined) {
      const name = String(JSON.parse(text))
      if (names.has(name)) doubled.add(name)
      names.add(name)
    }
  }
  return [...doubled]
}

/**
 * The body of a request: an object with members that the endpoint has, or nothing where nothing is required.
 * @throws ApiProblem 400 for what is no object, 422 for a member that the endpoint doesn't have, or of another type
 */
export function readBody({ body: sent }: FastifyRequest, { body }: Endpoint): Call['body'] {
  const { fields = {}, required = [], hasFile = false } = body ?? {}
  if (hasFile || ((sent ?? null) === null && required.length === 0)) return {}
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) throw new ApiProblem('invalidJson')
  const members = sentFields(sent)
  const unknown = Object.keys(members).filter((name) => !Object.hasOwn(fields, name))
  if (unknown.length > 0) throw strangeMembers(unknown, 'unknownMember')
  const mistyped = Object.entries(members).flatMap(([name, value]) => {
    const field = fields[name]
    if (field === undefined || isOfType(value, schemaOfField(field, required.includes(name)))) return []
    return [{ pointer: `/${name}`, message: { key: 'api.invalid.field' }, code: 'invalid' }]
  })
  if (mistyped.length > 0) throw new ApiProblem('invalid', { errors: mistyped })
  return withOneName(members)
}

/** Whether a body has a field that goes on under another name. */
export function isDeprecated({ body: sent }: FastifyRequest, { body }: Endpoint): boolean {
  const fields = body?.fields ?? {}
  return Object.keys(sentFields(sent)).some((name) => metaOf(fields[name]).deprecated === true)
}

/**
 * Posts are answered with `is_anonymous`, which operations call `anonymous`: either is taken.
 * @throws ApiProblem 422 where both are there and say different things
 */
function withOneName({ is_anonymous: answered, ...members }: Call['body']): Call['body'] {
  if (answered === undefined) return members
  const { anonymous = answered } = members
  const [one, other] = [answered, anonymous].map((value) => optionalFlag.safeParse(value ?? '').data)
  if (one === other) return { ...members, anonymous }
  const wrong = { pointer: '/is_anonymous', message: { key: 'api.invalid.twoNames' }, code: 'two_names' }
  throw new ApiProblem('invalid', { errors: [wrong] })
}

export function sentName({ body }: FastifyRequest, field: string): string {
  return field === 'anonymous' && sentFields(body).anonymous === undefined ? 'is_anonymous' : field
}

/**
 * The query of a request. Empty parameters count as absent, as on pages.
 * @throws InvalidParameter for a parameter that the endpoint doesn't have, that came twice, or has a value
 * that can't be
 */
export function readQuery(request: FastifyRequest, { query }: Pick<Endpoint, 'query'>): unknown {
  const shape = query?.shape ?? {}
  const sent = sentFields(request.query)
  for (const [name, value] of Object.entries(sent)) {
    if (!Object.hasOwn(shape, name)) throw new InvalidParameter(name, 'unknownParameter')
    if (Array.isArray(value)) throw new InvalidParameter(name, 'doubledParameter')
  }
  if (query === null) return {}
  const given = Object.keys(sent).flatMap((name) => {
    const value = queryParam(request, name)
    // What no text of ours is would be left out, as what is empty is.
    if (value === null && sent[name] !== '') throw new InvalidParameter(name)
    return value === null ? [] : [[name, value] as const]
  })
  const read = query.safeParse(Object.fromEntries(given))
  if (!read.success) throw new InvalidParameter(String(read.error.issues[0]?.path[0] ?? ''))
  return read.data
}
