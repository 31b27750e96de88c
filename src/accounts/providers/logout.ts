import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { sweep } from '../../database/sweep.ts'
import { term } from '../../database/terms.ts'
import { hashToken } from '../../web/tokens.ts'
import type { LogoutToken } from './logout-token.ts'
import type { Provider } from './provider.ts'

/**
 * Ends the sessions that a provider says are over, and sign-ins that wait for a second step: of one session there, or all that its
 * account opened.
 * @returns whose and how many; null: the token was used before
 */
export async function endSessionsBy(
  db: Database,
  { id: providerId, name }: Provider,
  { issuer, id, subject, sid }: LogoutToken,
): Promise<{ readonly personId: number | null; readonly count: number } | null> {
  return db.transaction().execute(async (write) => {
    const seen = await write
      .insertInto('logout_tokens')
      .values({ token_hash: hashToken(`${name} ${id}`) })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (seen.numInsertedOrUpdatedRows !== 1n) return null
    const links = write
      .selectFrom('linked_accounts')
      .select('id')
      .where('provider_id', '=', providerId)
      .where('issuer', '=', issuer)
      .$if(subject !== null, (query) => query.where('subject', '=', subject ?? ''))
    await write
      .deleteFrom('half_sign_ins')
      .where('linked_account_id', 'in', links)
      .$if(sid !== null, (query) => query.where('provider_sid', '=', sid))
      .execute()
    const ended = await write
      .deleteFrom('sessions')
      .where('token_hash', 'in', (query) =>
        query
          .selectFrom('provider_sessions')
          .select('token_hash')
          .where('linked_account_id', 'in', links)
          .$if(sid !== null, (of) => of.where('sid', '=', sid)),
      )
      .returning('person_id')
      .execute()
    return { personId: ended[0]?.person_id ?? null, count: ended.length }
  })
}

/** Names of tokens that are too old to be used again. */
export function sweepLogoutTokens(db: Database): Promise<number> {
  return sweep(db, 'logout_tokens', sql`seen_at < now() - ${term('logoutTokens')}`)
}
