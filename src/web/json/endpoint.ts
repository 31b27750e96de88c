import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Limit } from '../../kernel/limits.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Act } from '../../kernel/rights/rights.ts'
import type { SharedRoute } from '../page-cache/shared-url.ts'
import { idParam } from '../params.ts'

/** The prefix of every path below. */
export const API = '/api/v1'

export const SCOPES = ['read', 'write', 'staff'] as const
export type Scope = (typeof SCOPES)[number]

/** Media types of a body. That of PATCH is a merge patch (RFC 7396): null empties what may be empty, what is left out stays. */
export const bodyTypes = (method: Endpoint['method']) =>
  method === 'PATCH' ? ['application/json', MERGE_PATCH] : ['application/json']
export const MERGE_PATCH = 'application/merge-patch+json'

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
  'events',
] as const
export type Tag = (typeof TAGS)[number]

export type Sent = Readonly<Record<string, unknown>>

export interface Call<Query = unknown> {
  readonly request: FastifyRequest
  readonly query: Query
  /** The body as sent: members that the endpoint has, their values unchecked. */
  readonly body: Sent
  /** Performs an operation, once for all that come with one key. @returns the address of what was written */
  write<Key, Done>(door: Door<Key, Done>): Promise<string>
}

/**
 * An address for programs and what can be done there: the route, its line in the documentation and its part
 * of /api/v1/openapi.json.
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
  /** The name of the operation that it performs; null: it reads. */
  readonly operation: string | null
  /** The right that it needs; null: it reads. */
  readonly act: Act | null
  /** Statuses besides those that follow from what it reads and writes. */
  readonly problems: readonly number[]
  /** A limit of web/limits besides that of all requests. */
  readonly limit: Limit | null
  /** The answer to visitors is cached. */
  readonly shared: SharedRoute | null
  /** It takes an Idempotency-Key. */
  readonly takesKey: boolean
  handle(call: Call): Promise<Given>
  /** Tells of more as it happens, to those who ask for a stream of events. */
  stream?(call: Call, reply: FastifyReply): Promise<void>
}

/** The fields of a body, which an operation reads; each says in its meta what JSON Schema says of it. */
export interface Body {
  readonly fields: Readonly<Record<string, z.ZodType>>
  readonly required: readonly string[]
  /** A picture comes as the file of a form with these fields, or as the body itself. */
  readonly hasFile?: true
}

export type Answer =
  | {
      readonly kind: 'one' | 'list' | 'created' | 'lines'
      readonly schema: z.ZodObject
      /** What a list has beside its items. */
      readonly beside?: z.ZodObject
    }
  | { readonly kind: 'none' }

/** Addresses beside a resource, by relation: paths of ours. Shown to those who ask for HAL. */
export type Links = Readonly<Record<string, string>>

/**
 * What a resource is made of: a row with its fields, and maybe others, which its schema leaves out. `url` is
 * that of the link `html`.
 */
export type Item<Schema extends z.ZodObject = z.ZodObject> = Omit<z.input<Schema>, 'url'> & {
  readonly url?: string | null
  readonly links: Links
  /** Lists that it has in it, by the field they are in. */
  readonly within?: Readonly<Record<string, Within>>
}

/** The beginning of the list at an address of ours. */
export interface Within {
  readonly schema: z.ZodObject
  readonly path: string
  readonly items: readonly Item[]
  /** The address of the rest; null: this is all. */
  readonly next: string | null
}

export interface Listed<Row = Item> {
  readonly items: readonly Row[]
  /** Cursor of the page after; null: this is the last. */
  readonly next: string | null
  /** The parameter that takes it; left out: `cursor`. */
  readonly nextIn?: 'after' | 'updated_after'
  readonly beside?: Sent
}

/** What a handler answers with; null: nothing. */
export type Given = Item | Listed | AsyncIterable<object> | null

interface GivenOf<Schema extends z.ZodObject> {
  readonly one: Item<Schema>
  readonly list: Listed<Item<Schema>>
  readonly lines: AsyncIterable<Omit<Item<Schema>, 'links'>>
}

/** A parameter of the address has a value that can't be, is unknown, or came twice: 400. */
export class InvalidParameter extends Error {
  readonly parameter: string
  readonly why: 'parameter' | 'unknownParameter' | 'doubledParameter'

  constructor(parameter: string, why: InvalidParameter['why'] = 'parameter') {
    super(parameter)
    this.parameter = parameter
    this.why = why
  }
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
  readonly stream?: (call: Call<z.output<Query>>, reply: FastifyReply) => Promise<void>
}

/** A GET endpoint. */
export function reading<
  Kind extends keyof GivenOf<Schema>,
  Schema extends z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
>(
  path: string,
  answer: { readonly kind: Kind; readonly schema: Schema },
  options: Options<Query>,
  handle: (call: Call<z.output<Query>>) => Promise<GivenOf<NoInfer<Schema>>[NoInfer<Kind>]>,
): Endpoint {
  const { name, tag, scope = 'read', isPublic = scope === 'read', query = null, problems = [] } = options
  const { limit = null, stream } = options
  const shared = {
    parameters: Object.keys(query?.shape ?? {}),
    personalParameters: ['mine', 'updated_after'],
    isClosed: true,
  }
  return {
    ...{ method: 'GET', path, name, tag, scopes: [scope], isPublic, query, body: null, problems, limit },
    answer,
    operation: null,
    act: null,
    takesKey: false,
    shared: isPublic && options.isShared !== false ? shared : null,
    ...(stream !== undefined && { stream: stream as NonNullable<Endpoint['stream']> }),
    handle: (call) => handle(call as Call<z.output<Query>>) as Promise<Given>,
  }
}

export const oneOf = <Schema extends z.ZodObject>(schema: Schema) => ({ kind: 'one', schema }) as const
export const listOf = <Schema extends z.ZodObject>(schema: Schema, beside?: z.ZodObject) =>
  ({ kind: 'list', schema, ...(beside !== undefined && { beside }) }) as const
export const linesOf = <Schema extends z.ZodObject>(schema: Schema) => ({ kind: 'lines', schema }) as const

/** An operation that an endpoint performs, with the rights that the token has of its person and no others. */
export interface Door<Key, Done> {
  readonly method: Endpoint['method']
  readonly path: string
  readonly name: string
  readonly tag: Tag
  readonly operation: Operation<Key, Done>
  readonly isForStaff?: boolean
  /** What it is done to is not there for those who may not do it: 404, not 403. */
  readonly isHidden?: boolean
  readonly body?: Body
  readonly answer?: Answer
  /** As of an endpoint. */
  readonly problems?: readonly number[]
  key(call: Call): Key
  /** The body fields that become the operation's input. */
  input?(call: Call): Sent | Promise<Sent>
  /** What is edited, as it is now: what the body leaves out stays. The version has to be that of If-Match. */
  present?(call: Call): Promise<Sent & { readonly version: number }>
  /** The address below /api/v1 of what was written. */
  pathOf?(done: Done, call: Call): string
  /** The resource as it is afterwards. @param id of what was written */
  done?(call: Call, id: number): Promise<Item>
}

export function writing<Key, Done>(door: Door<Key, Done>): Endpoint {
  const { method, path, name, tag, body = null, answer = { kind: 'none' }, isForStaff = false } = door
  return {
    ...{ method, path, name, tag, body, answer },
    scopes: isForStaff ? ['write', 'staff'] : ['write'],
    isPublic: false,
    query: null,
    operation: door.operation.name,
    act: door.operation.right,
    problems: [...(door.problems ?? []), ...(door.present === undefined ? [] : [428])],
    limit: door.operation.limit,
    shared: null,
    takesKey: door.pathOf !== undefined,
    async handle(call) {
      const path = await call.write(door)
      return door.done?.(call, Number(path.slice(path.lastIndexOf('/') + 1))) ?? null
    },
  }
}

/** The path of an address with the forum before it; an address as it is. */
export function absolute({ server }: Pick<FastifyRequest, 'server'>, path: string): string {
  return path.startsWith('/') ? `${server.config.baseUrl}${path}` : path
}

export const idOf = ({ request }: Pick<Call, 'request'>) => idParam(request, 'id')
