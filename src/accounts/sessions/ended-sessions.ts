import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { sweep } from '../../database/sweep.ts'
import { hashToken } from '../../web/tokens.ts'
import { WHOLE } from './sessions.ts'

/**
 * Whose session a token was, after it has ended. A trigger on sessions remembers that, whichever way one ends.
 * @returns the person's id; null when there never was such a session, or not for long
 */
export async function formerPersonOf(db: Database, token: string): Promise<number | null> {
  const hash = hashToken(token)
  const row = await db
    .selectFrom('ended_sessions')
    .select('person_id')
    .where('token_hash', '=', hash)
    // Over by time, and not swept yet.
    .unionAll(db.selectFrom('sessions').select('person_id').where('token_hash', '=', hash))
    .executeTakeFirst()
  return row?.person_id ?? null
}

/** No browser keeps the cookie of a session for longer than the longest of them lasts. */
export function sweepEndedSessions(db: Database): Promise<number> {
  return sweep(db, 'ended_sessions', sql`ended_at < now() - ${WHOLE}`)
}
