import { sql } from 'kysely'
import type { Database, Write } from './schema.ts'

/**
 * The numbers that a person had or has: of this account, and of those merged into it. Mentions in texts keep
 * the old ones.
 */
export async function numbersOf(db: Database | Write, personId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive account (id) as (
      values (${personId}::bigint) union select from_id from account_merges join account on into_id = account.id)
    select id from account`.execute(db)
  return rows.map(({ id }) => id)
}

/** The account that another became by merging; null: it was not merged. */
export async function mergedInto(db: Database | Write, personId: number): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    with recursive account (id, depth) as (
      values (${personId}::bigint, 0) union select into_id, depth + 1 from account_merges join account on from_id = account.id)
    select id from account where depth > 0 order by depth desc limit 1`.execute(db)
  return rows[0]?.id ?? null
}
