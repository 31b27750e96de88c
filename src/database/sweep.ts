import { type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'

/** Rows that one statement removes at the most: few enough to be done long before a statement's timeout. */
export const SWEPT_AT_ONCE = 1000

/**
 * Removes rows that have expired, SWEPT_AT_ONCE at the most: whoever gets so many asks again. Rows that somebody else has locked
 * wait for the next time, so that it never waits itself.
 * @param table its name
 * @returns how many
 */
export async function sweep(db: Database, table: string, isExpired: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${isExpired} limit ${SWEPT_AT_ONCE} for update skip locked))`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/**
 * Sweeps until little is left, in steps between which others get their turn.
 * @param isStopping asked after each step
 * @returns how many rows went
 */
export async function sweepAll(
  db: Database,
  sweepSome: (db: Database) => Promise<number>,
  isStopping: () => boolean = () => false,
): Promise<number> {
  let all = 0
  for (;;) {
    const some = await sweepSome(db)
    all += some
    if (some < SWEPT_AT_ONCE || isStopping()) return all
  }
}
