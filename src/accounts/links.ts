import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import { sweep } from '../database/sweep.ts'
import type { Access } from './access.ts'
import { hashToken, newToken } from './tokens.ts'

/** OWASP ASVS 5.0, 6.4.1: a link that signs in lives an hour at the most. */
const LIFE = sql`interval '1 hour'`

/**
 * Makes a link that signs a person in, once, within an hour. Only the hash of its token is kept.
 * @param baseUrl the forum's public address, without a slash at the end
 * @returns the whole address
 */
export async function makeSignInLink(db: Database, personId: number, baseUrl: string): Promise<string> {
  const token = newToken()
  await db
    .insertInto('sign_in_links')
    .values({ token_hash: hashToken(token), person_id: personId, expires_at: sql<Date>`now() + ${LIFE}` })
    .execute()
  return `${baseUrl}/sign-in/link?token=${token}`
}

/** Whom a link would sign in; null when it is used, too old or none of ours. Changes nothing. */
export async function personOfLink(db: Database, token: string): Promise<{ displayName: string } | null> {
  const row = await db
    .selectFrom('sign_in_links as link')
    .innerJoin('people as person', 'person.id', 'link.person_id')
    .select('person.display_name as displayName')
    .where('link.token_hash', '=', hashToken(token))
    .where('link.used_at', 'is', null)
    .where('link.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row ?? null
}

/** Uses a link up. Of several at once only one is let in; null for the others and for a link that is no good. */
export async function useSignInLink(db: Database, token: string): Promise<Access | null> {
  const row = await db
    .updateTable('sign_in_links as link')
    .from('people as person')
    .set({ used_at: sql<Date>`now()` })
    .whereRef('person.id', '=', 'link.person_id')
    .where('link.token_hash', '=', hashToken(token))
    .where('link.used_at', 'is', null)
    .where('link.expires_at', '>', sql<Date>`now()`)
    .returning(['person.id as personId', 'person.access_version as accessVersion'])
    .executeTakeFirst()
  return row === undefined ? null : { ...row, isFromLink: true }
}

/** Removes links that are of no use any more. */
export function sweepSignInLinks(db: Database): Promise<number> {
  return sweep(db, 'sign_in_links', sql`expires_at < now() - interval '1 day'`)
}
