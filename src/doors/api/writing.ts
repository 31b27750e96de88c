import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { personOfToken } from '../../accounts/tokens/access.ts'
import { knownRequest, rememberRequest } from '../../accounts/tokens/idempotency.ts'
import type { Write } from '../../database/schema.ts'
import type { Named } from '../../kernel/actor.ts'
import { inTransaction, performIn, prepare, type Surroundings } from '../../kernel/perform.ts'
import { NeedsSignIn, notFound, Problem } from '../../kernel/problem.ts'
import { surroundingsOf } from '../../web/forms/door.ts'
import type { Call, Door } from '../../web/json/endpoint.ts'
import { accessOf, personOf } from './access.ts'
import { requireConditions, versionToChange } from './conditions.ts'
import { ApiProblem, unauthorized } from './problem.ts'

/** What only a second factor is missing for, is there. */
function isForbidden({ request: { person } }: Call, error: unknown): boolean {
  if (person?.owesSecondFactor === true) return false
  return error instanceof NeedsSignIn || (error instanceof Problem && error.key === 'forbidden')
}

/** @returns the address of what was written */
export async function write<Key, Done>(call: Call, door: Door<Key, Done>): Promise<string> {
  return written(call, door).catch((error: unknown) => {
    throw door.isHidden === true && isForbidden(call, error) ? notFound() : error
  })
}

async function inputOf<Key, Done>(call: Call, door: Door<Key, Done>) {
  if (door.present === undefined) return (await door.input?.(call)) ?? call.body
  const present = await door.present(call)
  return { ...present, ...call.body, version: versionToChange(call.request, present.version) }
}

async function written<Key, Done>(call: Call, door: Door<Key, Done>): Promise<string> {
  const { request } = call
  const actor = actorOf(request)
  const { db } = request.server
  async function prepared() {
    const input = await inputOf(call, door)
    const holds = (write: Write) => requireConditions(request, door.path, write)
    const { baseUrl } = request.server.config
    return prepare(db, door.operation, { actor, key: door.key(call), input, holds, baseUrl })
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
    if (known === 'running') throw new ApiProblem('keyInUse')
    if (known === 'other') throw new ApiProblem('keyReused')
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
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key)) throw new ApiProblem('invalidKey')
  const requestHash = createHash('sha256')
    .update(`${method}\n${url}\n`)
    .update(sentBytes ?? 'null')
    .digest()
  return { keyHash: createHash('sha256').update(key).digest(), requestHash }
}
