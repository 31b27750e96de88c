import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { personOfToken } from '../../accounts/tokens/access.ts'
import { knownRequest, rememberRequest } from '../../accounts/tokens/idempotency.ts'
import type { Write } from '../../database/schema.ts'
import { POST_TABLES } from '../../forum/posts/kinds.ts'
import type { Named } from '../../kernel/actor.ts'
import type { Operation } from '../../kernel/operation.ts'
import { inTransaction, performIn, prepare, type Surroundings } from '../../kernel/perform.ts'
import { NeedsSignIn, notFound, Problem } from '../../kernel/problem.ts'
import { surroundingsOf } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { accessOf, personOf } from './access.ts'
import type { Answer, Body, Call, Endpoint, Outcome, Tag } from './endpoint.ts'
import { ApiProblem, unauthorized } from './problem.ts'

interface Door<Key, Done> {
  readonly method: Endpoint['method']
  readonly path: string
  readonly name: string
  readonly tag: Tag
  readonly operation: Operation<Key, Done>
  readonly isForStaff?: boolean
  /** What it is done to is not there for those who may not do it: 404, not 403. */
  readonly isHidden?: boolean
  readonly body?: Body
  readonly answer: Answer
  readonly problems?: readonly number[]
  key(call: Call): Key
  /** The body fields that become the operation's input. */
  input?(call: Call): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>
  /** The address below /api/v1 of what was written. */
  pathOf?(done: Done, call: Call): string
  /** The resource as it is afterwards. @param path of what was written */
  done?(call: Call, path: string): Promise<Outcome>
}

/** An endpoint that performs an operation, with the rights that the token has of its person and no others. */
export function writing<Key, Done>(door: Door<Key, Done>): Endpoint {
  const { method, path, name, tag, body = null, answer, operation, isForStaff = false } = door
  const isOnce = door.pathOf !== undefined
  return {
    ...{ method, path, name, tag, body, answer },
    scopes: isForStaff ? ['write', 'staff'] : ['write'],
    isPublic: false,
    query: null,
    problems: [422, 409, ...(isConditional(door) ? [412] : []), ...(door.problems ?? [])],
    limit: operation.limit,
    shared: null,
    takesKey: isOnce,
    async handle(call) {
      const written = await writtenBy(call, door).catch((error: unknown) => {
        throw door.isHidden === true && isForbidden(call, error) ? notFound() : error
      })
      return door.done === undefined ? { kind: 'none' } : door.done(call, written)
    },
  }
}

/** PUT and DELETE are held to If-Match, where it is sent; PATCH, which needs it, compares it as the version of its edit. */
const isConditional = ({ method }: Pick<Endpoint, 'method'>) => method === 'PUT' || method === 'DELETE'

/** What only a second factor is missing for, is there. */
function isForbidden({ request: { person } }: Call, error: unknown): boolean {
  if (person?.owesSecondFactor === true) return false
  return error instanceof NeedsSignIn || (error instanceof Problem && error.key === 'forbidden')
}

/** Writes, once for all that come with one key. @returns the address of what was written */
async function writtenBy<Key, Done>(call: Call, door: Door<Key, Done>): Promise<string> {
  const { request } = call
  const actor = actorOf(request)
  const { db } = request.server
  async function prepared() {
    const input = (await door.input?.(call)) ?? call.body
    const holds = isConditional(door) ? (write: Write) => requireMatch(call, door.path, write) : undefined
    return prepare(db, door.operation, { actor, key: door.key(call), input, holds })
  }
  const key = door.pathOf === undefined ? null : keyOf(request)
  // Before the transaction, which must not wait for another connection or for Markdown; told after the key, which is looked at first.
  const [asked] = await Promise.allSettled([prepared()])
  const performed = async (write: Write, within: Surroundings) => {
    if (asked.status === 'rejected') throw asked.reason
    const done = await performIn(write, asked.value, within)
    return door.pathOf?.(done, call) ?? ''
  }
  const surroundings = surroundingsOf(request)
  if (key === null) return inTransaction(db, surroundings, performed)
  const keyed = { personId: personOf(request).id, ...key }
  return inTransaction(db, surroundings, async (write, within) => {
    const known = await knownRequest(write, keyed)
    if (known === 'running') throw new ApiProblem(409, 'keyInUse')
    if (known === 'other') throw new ApiProblem(422, 'keyReused')
    if (known !== null) {
      request.isReplayed = true
      return known.path
    }
    const path = await performed(write, within)
    await rememberRequest(write, keyed, path)
    return path
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** It came before, with the same Idempotency-Key: nothing was written. */
    isReplayed: boolean
  }
}

/** The actor of a token, with its rights at the time of the write; a revoked token writes nothing. */
export function actorOf(request: FastifyRequest): Named {
  const access = accessOf(request)
  return {
    id: personOf(request).id,
    narrowed: async (write, person) => {
      const now = await personOfToken(write, access, person)
      if (now === null) throw unauthorized('invalid_token')
      return now
    },
  }
}

/** The Idempotency-Key of a request; null: none. @throws ApiProblem 400 for what is no key */
function keyOf({ headers, method, url, sentBytes }: FastifyRequest) {
  const { 'idempotency-key': key } = headers
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key)) throw new ApiProblem(400, 'invalidKey')
  const requestHash = createHash('sha256')
    .update(`${method}\n${url}\n`)
    .update(sentBytes ?? 'null')
    .digest()
  return { keyHash: createHash('sha256').update(key).digest(), requestHash }
}

export const idOf = ({ request }: Pick<Call, 'request'>) => idParam(request, 'id')

/**
 * The version that a change began with, as If-Match says it.
 * @param current the present version
 * @throws ApiProblem 428 without it, 412 when none of them is the present one
 */
export function versionToChange({ headers }: FastifyRequest, current: number): number {
  const sent = headers['if-match']
  if (sent === undefined) throw new ApiProblem(428, 'preconditionRequired')
  requireNamed(sent, current)
  return current
}

/**
 * Holds a PUT or DELETE to If-Match, once what it is done to is locked: it is compared with the version of the post of the address. What
 * has none is matched by `*` alone.
 * @param path of the endpoint
 * @throws ApiProblem 412
 */
async function requireMatch({ request }: Pick<Call, 'request'>, path: string, write: Write) {
  const sent = request.headers['if-match']
  if (sent === undefined) return
  const table = POST_TABLES.find((name) => path.startsWith(`/${name}/:id`))
  const post =
    table === undefined
      ? undefined
      : await write
          .selectFrom(table)
          .select('version')
          .where('id', '=', idParam(request, 'id'))
          .executeTakeFirst()
  requireNamed(sent, post?.version ?? null)
}

/**
 * Of an entity tag of ours the version counts alone, so that a vote makes none stale; or the version in quotes. Several, and `*`, are
 * looked for among what is there.
 * @param current null: there is no version
 */
function requireNamed(sent: string, current: number | null): void {
  if (sent.trim() === '*') return
  const versions = sent.split(',').map((tag) => /^\s*(?:W\/)?"(\d{1,9})(?:-[\w-]*)?"\s*$/.exec(tag)?.[1])
  if (current === null || !versions.includes(String(current))) throw new ApiProblem(412, 'preconditionFailed')
}
