import { sql } from 'kysely'
import { hashToken, newToken } from '../accounts/tokens.ts'
import type { Database, HalfWay, Write } from '../database/schema.ts'

/** Somebody's password or link was right; their code is to come. */
export interface HalfSignIn {
  readonly personId: number
  readonly way: HalfWay
  /** Where signing in leads: a path of ours. */
  readonly path: string
}

/** Codes that may be tried before the password is asked for again, and how long there is to type one. */
const TRIES = 5
const LIFE = sql`interval '10 minutes'`

/** @returns the token for a cookie */
export async function beginHalfSignIn(db: Database, half: HalfSignIn): Promise<string> {
  const token = newToken()
  await db
    .insertInto('half_sign_ins')
    .values({ token_hash: hashToken(token), person_id: half.personId, way: half.way, path: half.path })
    .execute()
  return token
}

/** null: there is none, or it has ended. */
export async function findHalfSignIn(db: Database, token: string): Promise<HalfSignIn | null> {
  const row = await db
    .selectFrom('half_sign_ins')
    .select(['person_id as personId', 'way', 'path'])
    .where('token_hash', '=', hashToken(token))
    .where('tries', '<', TRIES)
    .where('begun_at', '>', sql<Date>`now() - ${LIFE}`)
    .executeTakeFirst()
  return row ?? null
}

/** Counts one try, before the code is looked at: so 50 sent at once are 50. @returns null when there is none left */
export async function tryHalfSignIn(db: Database, token: string): Promise<HalfSignIn | null> {
  const row = await db
    .updateTable('half_sign_ins')
    .set({ tries: sql`tries + 1` })
    .where('token_hash', '=', hashToken(token))
    .where('tries', '<', TRIES)
    .where('begun_at', '>', sql<Date>`now() - ${LIFE}`)
    .returning(['person_id as personId', 'way', 'path'])
    .executeTakeFirst()
  return row ?? null
}

/** Ends one, whose code was right. @returns false when it has ended meanwhile, as the password was changed */
export async function endHalfSignIn(write: Database | Write, token: string): Promise<boolean> {
  const ended = await write
    .deleteFrom('half_sign_ins')
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst()
  return ended.numDeletedRows === 1n
}

/** Ends all of a person's: their password was changed. */
export async function endHalfSignIns(write: Write, personId: number): Promise<void> {
  await write.deleteFrom('half_sign_ins').where('person_id', '=', personId).execute()
}

/** Removes those that have ended by themselves. @returns how many */
export async function sweepHalfSignIns(db: Database): Promise<number> {
  const swept = await db
    .deleteFrom('half_sign_ins')
    .where('begun_at', '<', sql<Date>`now() - ${LIFE}`)
    .executeTakeFirst()
  return Number(swept.numDeletedRows)
}
