import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { sweep } from '../../database/terms.ts'
import { cookieOf, setSignedCookie, signedCookieOf } from '../../web/cookies.ts'
import { hashToken } from '../../web/tokens.ts'

/** What a challenge may be answered for, and by whom; null: by anybody. */
export interface Purpose {
  readonly act: 'sign-in' | 'second-step' | 'adding'
  readonly personId: number | null
}

/** Five minutes, in milliseconds: what WebAuthn Level 3 (5.1.3) suggests where people are asked for a gesture. */
export const CHALLENGE_LIFE = 5 * 60_000

const COOKIE = 'passkey-challenge'

/**
 * Remembers in a signed cookie which challenge a browser was given. Nothing is written down until it is
 * answered: asking costs no more than any page, however often somebody asks.
 */
export function rememberChallenge(
  request: FastifyRequest,
  reply: FastifyReply,
  purpose: Purpose,
  challenge: string,
): void {
  const { name, options } = cookieOf(request.server.config, COOKIE, 'strict')
  const value = [purpose.act, purpose.personId ?? '', Date.now(), challenge].join(' ')
  setSignedCookie(reply, name, value, { ...options, maxAge: CHALLENGE_LIFE / 1000 })
}

/** Uses up this browser's challenge for a purpose, for all processes; null: none, too old, or used before. */
export async function takeChallenge(request: FastifyRequest, reply: FastifyReply, purpose: Purpose) {
  const { name, options } = cookieOf(request.server.config, COOKIE, 'strict')
  const value = signedCookieOf(request, name)
  reply.clearCookie(name, options)
  if (value === null) return null
  const [act, personId, madeAt, challenge = ''] = value.split(' ')
  const age = Date.now() - Number(madeAt)
  if (act !== purpose.act || personId !== String(purpose.personId ?? '')) return null
  if (!(age >= 0 && age < CHALLENGE_LIFE) || challenge === '') return null
  return (await isFirstAnswer(request.server.db, challenge)) ? challenge : null
}

/** Removes what no clock, however wrong, takes for valid. @returns how many */
export function sweepChallenges(db: Database): Promise<number> {
  return sweep(db, 'answered_challenges', sql`answered_at < now() - interval '1 day'`)
}

async function isFirstAnswer(db: Database, challenge: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('answered_challenges')
    .values({ token_hash: hashToken(challenge) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Loaded when first needed: it takes a tenth of a second and 27 MB, which a forum without passkeys can save. */
export const webauthn = () => import('@simplewebauthn/server')

/** The same for its inner parts. */
export const webauthnHelpers = () => import('@simplewebauthn/server/helpers')

/** How a check ended. `reason` is for the log. */
export type Checked<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string }

/** Whatever the library throws about what a client sent is a refusal. */
export async function checked<Value>(check: () => Promise<Value>): Promise<Checked<Value>> {
  try {
    return { ok: true, value: await check() }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message.slice(0, 200) : 'unknown' }
  }
}
