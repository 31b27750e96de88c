import { sql } from 'kysely'
import { hashToken, newToken } from '../accounts/tokens.ts'
import type { Database } from '../database/schema.ts'

/** What was typed waits a day for its author to sign in. */
const LIFE = sql`interval '1 day'`

/** Keeps the fields of a form. @returns the token that brings them back: 256 random bits in the address of the form */
export async function keepForm(db: Database, fields: Record<string, string>): Promise<string> {
  const token = newToken()
  await db
    .insertInto('kept_forms')
    .values({ token_hash: hashToken(token), fields: JSON.stringify(fields) })
    .execute()
  return token
}

/** The fields kept under a token; null when there are none (any more). */
export async function findKeptForm(
  db: Database,
  token: string | null,
): Promise<Record<string, string> | null> {
  if (token === null) return null
  const row = await db
    .selectFrom('kept_forms')
    .select('fields')
    .where('token_hash', '=', hashToken(token))
    .where('kept_at', '>', sql<Date>`now() - ${LIFE}`)
    .executeTakeFirst()
  return row?.fields ?? null
}

export async function sweepKeptForms(db: Database): Promise<number> {
  const swept = await db
    .deleteFrom('kept_forms')
    .where('kept_at', '<', sql<Date>`now() - ${LIFE}`)
    .executeTakeFirst()
  return Number(swept.numDeletedRows)
}
