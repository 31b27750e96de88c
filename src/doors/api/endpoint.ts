import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Limit } from '../../kernel/limits.ts'
import type { SharedRoute } from '../../web/page-cache/shared-url.ts'
import type { Outcome } from './answering.ts'

export const SCOPES = ['read', 'write', 'staff'] as const
export type Scope = (typeof SCOPES)[number]

/** Groups of the documentation, in its order. */
export const TAGS = [
  'start',
  'courses',
  'questions',
  'answers',
  'replies',
  'votes',
  'search',
  'people',
  'desk',
  'cases',
  'history',
  'uploads',
] as const
export type Tag = (typeof TAGS)[number]

export interface Call<Query = unknown> {
  readonly request: FastifyRequest
  readonly query: Query
  /** The body as sent: members that the endpoint has, their values unchecked. */
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * An address for programs and what can be done there: the route, its line in the documentation and its part of
 * /api/v1/openapi.json.
 */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below /api/v1. */
  readonly path: string
  /** operationId; what it does is the message api.operation.<name>. */
  readonly name: string
  readonly tag: Tag
  readonly scopes: readonly Scope[]
  /** Without a token it answers what is public. */
  readonly isPublic: boolean
  readonly query: z.ZodObject | null
  readonly body: Body | null
  readonly answer: Answer
  /** Statuses besides those that any endpoint may answer. */
  readonly problems: readonly number[]
  /** A limit of web/limits besides that of all requests. */
  readonly limit: Limit | null
  /** The answer to visitors is cached. */
  readonly shared: SharedRoute | null
  /** It takes an Idempotency-Key. */
  readonly takesKey: boolean
  handle(call: Call): Promise<Outcome<unknown>>
}

/** The fields of a body, which an operation reads; each says in its meta what JSON Schema says of it. */
export interface Body {
  readonly fields: Readonly<Record<string, z.ZodType>>
  readonly required: readonly string[]
  /** A picture comes as the file of a form with these fields, or as the body itself. */
  readonly hasFile?: true
}

export type Answer =
  | { readonly kind: 'one' | 'list' | 'created' | 'lines'; readonly schema: z.ZodType }
  | { readonly kind: 'none' }

interface Options<Query extends z.ZodObject> {
  readonly name: string
  readonly tag: Tag
  readonly scope?: Scope
  readonly isPublic?: boolean
  readonly query?: Query
  readonly problems?: readonly number[]
  readonly isShared?: boolean
  readonly limit?: Limit
}

/** A GET endpoint. `one` or `list` says what it answers. */
export function reading<Schema extends z.ZodType, Query extends z.ZodObject = z.ZodObject>(
  path: string,
  { kind, schema }: { readonly kind: 'one' | 'list' | 'lines'; readonly schema: Schema },
  options: Options<Query>,
  handle: (call: Call<z.output<Query>>) => Promise<Outcome<z.input<Schema>>>,
): Endpoint {
  const { name, tag, scope = 'read', isPublic = scope === 'read', query = null, problems = [] } = options
  const { limit = null } = options
  const shared = { parameters: Object.keys(query?.shape ?? {}), personalParameters: ['mine'], isClosed: true }
  return {
    ...{ method: 'GET', path, name, tag, scopes: [scope], isPublic, query, body: null, problems, limit },
    answer: { kind, schema },
    takesKey: false,
    shared: isPublic && options.isShared !== false ? shared : null,
    handle: (call) => handle(call as Call<z.output<Query>>),
  }
}

export const oneOf = <Schema extends z.ZodType>(schema: Schema) => ({ kind: 'one', schema }) as const
export const listOf = <Schema extends z.ZodType>(schema: Schema) => ({ kind: 'list', schema }) as const
export const linesOf = <Schema extends z.ZodType>(schema: Schema) => ({ kind: 'lines', schema }) as const
