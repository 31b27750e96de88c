import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { hashToken } from '../../web/tokens.ts'
import { IDLE, WHOLE } from './sessions.ts'

/** Sessions shown; a person with more ends the others at once. */
const SHOWN = 100

export interface ListedSession {
  /** Names it in addresses. Of no use as a session's token, whose hash it is. */
  readonly name: string
  readonly userAgent: string
  readonly signedInAt: Date
  /** To the quarter of an hour. */
  readonly lastSeenAt: Date
  readonly isThis: boolean
}

/** A person's sessions that have not ended, the one asking first, then by when they were last seen. */
export async function listSessions(
  db: Database,
  personId: number,
  token: string | null,
): Promise<ListedSession[]> {
  const isThis = sql<boolean>`token_hash = ${hashToken(token ?? '')}`
  const rows = await db
    .selectFrom('sessions')
    .select(['token_hash', 'user_agent', 'signed_in_at', 'last_seen_at', isThis.as('is_this')])
    .where('person_id', '=', personId)
    .where('last_seen_at', '>', sql<Date>`now() - ${IDLE}`)
    .where('signed_in_at', '>', sql<Date>`now() - ${WHOLE}`)
    .orderBy(isThis, 'desc')
    .orderBy('last_seen_at', 'desc')
    .limit(SHOWN)
    .execute()
  return rows.map((row) => ({
    name: row.token_hash.toString('base64url'),
    userAgent: row.user_agent,
    signedInAt: row.signed_in_at,
    lastSeenAt: row.last_seen_at,
    isThis: row.is_this,
  }))
}
