import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Limit } from '../../kernel/limits.ts'
import type { SharedRoute } from '../../web/page-cache/shared-url.ts'

/** The prefix of every path below. */
export const API = '/api/v1'

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
  handle(call: Call): Promise<Outcome>
}

/** The fields of a body, which an operation reads; each says in its meta what JSON Schema says of it. */
export interface Body {
  readonly fields: Readonly<Record<string, z.ZodType>>
  readonly required: readonly string[]
  /** A picture comes as the file of a form with these fields, or as the body itself. */
  readonly hasFile?: true
}

export type Answer =
  | { readonly kind: 'one' | 'list' | 'created' | 'lines'; readonly schema: z.ZodObject }
  | { readonly kind: 'none' }

/** Addresses beside a resource, by relation: paths of ours. Shown to those who ask for HAL. */
export type Links = Readonly<Record<string, string>>

/** What a resource is made of: a row with its fields, and maybe others, which its schema leaves out. `url` is that of the link `html`. */
export type Item<Schema extends z.ZodObject = z.ZodObject> = Omit<z.input<Schema>, 'url'> & {
  readonly url?: string
  readonly links: Links
}

export type Outcome<Row = Item> =
  | {
      readonly kind: 'one'
      readonly item: Row
      /** The version of its text, which If-Match compares; null: the API doesn't edit it. */
      readonly version: number | null
      readonly modifiedAt: Date | null
    }
  | {
      readonly kind: 'list'
      readonly items: readonly Row[]
      /** Cursor of the page after; null: this is the last. */
      readonly next: string | null
    }
  | {
      readonly kind: 'created'
      readonly item: Row
      readonly version: number | null
      /** Path of what was written, from the root. */
      readonly url: string
    }
  | { readonly kind: 'none' }
  | { readonly kind: 'lines'; readonly lines: AsyncIterable<Omit<Row, 'links'>> }

export function one<Row>(
  item: Row,
  {
    version = null,
    modifiedAt = null,
  }: { readonly version?: number | null; readonly modifiedAt?: Date | null } = {},
): Outcome<Row> {
  return { kind: 'one', item, version, modifiedAt }
}

export function list<Row>(items: readonly Row[], next: string | null = null): Outcome<Row> {
  return { kind: 'list', items, next }
}

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
export function reading<Schema extends z.ZodObject, Query extends z.ZodObject = z.ZodObject>(
  path: string,
  { kind, schema }: { readonly kind: 'one' | 'list' | 'lines'; readonly schema: Schema },
  options: Options<Query>,
  handle: (call: Call<z.output<Query>>) => Promise<Outcome<Item<NoInfer<Schema>>>>,
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

export const oneOf = <Schema extends z.ZodObject>(schema: Schema) => ({ kind: 'one', schema }) as const
export const listOf = <Schema extends z.ZodObject>(schema: Schema) => ({ kind: 'list', schema }) as const
export const linesOf = <Schema extends z.ZodObject>(schema: Schema) => ({ kind: 'lines', schema }) as const
