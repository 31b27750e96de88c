import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'

/** Long enough for a busy machine a hundred times slower than an idle one: only a failure reaches it. */
const MAX_WAIT_MS = 120_000
const POLL_MS = 10

/**
 * Waits until `holds` returns true.
 * @throws AssertionError with `what` on timeout
 */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + MAX_WAIT_MS; Date.now() < end; await sleep(POLL_MS)) if (await holds()) return
  assert.fail(`never: ${what}`)
}

/** Waits until at least `count` transactions of this database are blocked by another one's lock. */
export function untilWaiting(db: Database, count = 1): Promise<void> {
  return until(`${count} transactions wait for a lock`, async () => {
    const { rows } = await sql<{ waiting: number }>`select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return (rows[0]?.waiting ?? 0) >= count
  })
}
