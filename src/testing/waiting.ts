import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'

/** Until so many wait for others' transactions. */
export async function untilWaiting(db: Database, count = 1): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    const { rows } = await sql<{ waiting: number }>`select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    if ((rows[0]?.waiting ?? 0) >= count) return
    await sleep(10)
  }
  assert.fail('nobody waits')
}
