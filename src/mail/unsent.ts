import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'

/** The numbers of unsent mails: waiting, and given up. */
export async function countUnsent(db: Database): Promise<{ waiting: number; givenUp: number }> {
  const { rows } = await sql<{ waiting: number; givenUp: number }>`
    select count(*) filter (where give_up_at > now()) as waiting,
      count(*) filter (where give_up_at <= now()) as "givenUp"
    from mails where sent_at is null`.execute(db)
  return rows[0] ?? { waiting: 0, givenUp: 0 }
}
