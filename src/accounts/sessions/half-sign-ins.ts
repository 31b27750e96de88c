import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database, HalfWay, Write } from '../../database/schema.ts'
import { apart, holder, table } from '../../database/table.ts'
import { term } from '../../database/terms.ts'
import { cookieOf } from '../../web/cookies.ts'
import { hashToken, newToken } from '../../web/tokens.ts'
import type { Access } from '../identity/access.ts'
import { lockPerson } from '../identity/lock.ts'

/** How long there is to type a code. */
const LIFE = term('halfSignIns')

export const halfSignIns = table(
  'half_sign_ins',
  { person_id: apart(holder) },
  { expired: sql`begun_at < now() - ${LIFE}` },
)

/** Somebody's password or link was right; their code is to come. */
export interface HalfSignIn extends Access {
  readonly way: HalfWay
  /** Where signing in leads: a path of ours. */
  readonly path: string
}

/** Codes that may be tried before the password is asked for again. */
const TRIES = 5

/** Counts one try, before the code is looked at: so 50 sent at once are 50. @returns false when there is none left */
export async function tryHalfSignIn(db: Database, token: string): Promise<boolean> {
  const tried = await db
    .updateTable('half_sign_ins')
    .set({ tries: sql`tries + 1` })
    .where('token_hash', '=', hashToken(token))
    .where('tries', '<', TRIES)
    .where('begun_at', '>', sql<Date>`now() - ${LIFE}`)
    .executeTakeFirst()
  return tried.numUpdatedRows === 1n
}

/** Ends one, whose code was right. @returns false when it has ended meanwhile, as the password was changed */
export async function endHalfSignIn(write: Database | Write, token: string): Promise<boolean> {
  const ended = await write
    .deleteFrom('half_sign_ins')
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst()
  return ended.numDeletedRows === 1n
}

/** Ten minutes, as half-sign-ins.ts ends one. */
const COOKIE_LIFE_SECONDS = 10 * 60
const COOKIE = 'half-sign-in'

/** Remembers a right password or link until the code is there. Nobody is signed in yet. @returns false when it is void since */
export async function askForCode(
  { server: { db, config } }: FastifyRequest,
  reply: FastifyReply,
  half: HalfSignIn,
): Promise<boolean> {
  const token = newToken()
  const isBegun = await db.transaction().execute(async (write) => {
    const person = await lockPerson(write, half.personId)
    if (person?.accessVersion !== half.accessVersion) return false
    await write
      .insertInto('half_sign_ins')
      .values({
        token_hash: hashToken(token),
        person_id: half.personId,
        way: half.way,
        path: half.path,
        linked_account_id: half.by?.linkedAccountId ?? null,
        provider_sid: half.by?.sid ?? null,
      })
      .execute()
    return true
  })
  if (!isBegun) return false
  const { name, options } = cookieOf(config, COOKIE)
  reply.setCookie(name, token, { ...options, maxAge: COOKIE_LIFE_SECONDS })
  return true
}

/** The half sign-in this browser is in, and its token; null: it is in none, or it has ended. */
export async function halfSignInOf({ server: { db, config }, cookies }: FastifyRequest) {
  const token = cookies[cookieOf(config, COOKIE).name]
  if (token === undefined) return null
  const row = await db
    .selectFrom('half_sign_ins as half')
    .innerJoin('people as person', 'person.id', 'half.person_id')
    .select(['half.person_id as personId', 'person.access_version as accessVersion', 'half.way', 'half.path'])
    .select(['half.linked_account_id', 'half.provider_sid as sid'])
    .where('half.token_hash', '=', hashToken(token))
    .where('half.tries', '<', TRIES)
    .where('half.begun_at', '>', sql<Date>`now() - ${LIFE}`)
    .executeTakeFirst()
  if (row === undefined) return null
  const { linked_account_id: linkedAccountId, sid, ...known } = row
  const by = linkedAccountId === null ? {} : { by: { linkedAccountId, sid, hasShownFactor: false } }
  const half: HalfSignIn = { ...known, ...by }
  return { token, half }
}

export function forgetHalfSignIn(request: FastifyRequest, reply: FastifyReply): void {
  const { name, options } = cookieOf(request.server.config, COOKIE)
  reply.clearCookie(name, options)
}
