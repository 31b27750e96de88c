import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { hashToken, newToken } from '../accounts/tokens.ts'
import type { Database } from '../database/schema.ts'
import { sweep } from '../database/sweep.ts'
import { queryParam } from './params.ts'

/** What was typed waits a day for its author to sign in. */
const LIFE = sql`interval '1 day'`
const DAY = 24 * 60 * 60
const COOKIE = 'kept'
/** More than any form may carry, in characters with names and quotes: what is longer would be refused anyway. */
const LARGEST = 100_000

/**
 * Keeps the fields of a form for the browser that sent it. Both its cookie and the address it is sent to are needed to
 * have them back, so that nobody can put their words into somebody else's form.
 * @returns what the address of the form carries as `kept`; null when there is nothing to keep, or far too much
 */
export async function keepForm(
  request: FastifyRequest,
  reply: FastifyReply,
  fields: Record<string, string>,
): Promise<string | null> {
  const kept = JSON.stringify(fields)
  if (kept.length > LARGEST) return null
  const browser = request.cookies[COOKIE] ?? newToken()
  const id = newToken()
  const { db, config } = request.server
  await db
    .insertInto('kept_forms')
    .values({ token_hash: keyOf(browser, id), fields: kept })
    .execute()
  const secure = config.baseUrl.startsWith('https:')
  reply.setCookie(COOKIE, browser, { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: DAY })
  return id
}

/** The fields kept for this browser under the address's `kept`; null when there are none (any more). */
export async function findKeptForm(request: FastifyRequest): Promise<Record<string, string> | null> {
  const id = queryParam(request, 'kept')
  const browser = request.cookies[COOKIE]
  if (id === null || browser === undefined) return null
  const row = await request.server.db
    .selectFrom('kept_forms')
    .select('fields')
    .where('token_hash', '=', keyOf(browser, id))
    .where('kept_at', '>', sql<Date>`now() - ${LIFE}`)
    .executeTakeFirst()
  return row?.fields ?? null
}

export function sweepKeptForms(db: Database): Promise<number> {
  return sweep(db, 'kept_forms', sql`kept_at < now() - ${LIFE}`)
}

function keyOf(browser: string, id: string): Buffer {
  return hashToken(`${browser} ${id}`)
}
