import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'

/**
 * How many ways a person has to sign in by themselves: the password, each passkey, each linked account. The last one stays, as links
 * that come by email are for recovering an account, and an account may have no address.
 */
export async function countOwnWays(db: Database | Write, personId: number): Promise<number> {
  const { count } = await db
    .selectNoFrom([
      sql<number>`(select count(*) from people where id = ${personId} and password_hash is not null)
        + (select count(*) from passkeys where person_id = ${personId})
        + (select count(*) from linked_accounts where person_id = ${personId})`.as('count'),
    ])
    .executeTakeFirstOrThrow()
  return Number(count)
}
