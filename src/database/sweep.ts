import { type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'

/** Maximum rows per statement, so that it completes long before the statement timeout. */
export const MAX_SWEPT_ROWS = 1000

/**
 * Deletes expired rows, at most MAX_SWEPT_ROWS per call. Locked rows are skipped until the next sweep, so that it never
 * waits.
 * @param table its name
 * @returns the number of rows deleted
 */
export async function sweep(db: Database, table: string, isExpired: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${isExpired} limit ${MAX_SWEPT_ROWS} for update skip locked))`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}

/**
 * Sweeps until few rows are left, yielding to other queries between the steps.
 * @param isStopping checked after each step
 * @returns the number of rows deleted
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
    if (some < MAX_SWEPT_ROWS || isStopping()) return all
  }
}
