import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../schema.ts'

/** Key of the advisory lock of processes that change the schema: the one of Kysely's migrator, which 0.2.0 used. */
const KEY = sql.lit('3853314791062309107')
const POLL_MS = 100

/** Runs `work` on one connection while no other process changes the schema; others wait. */
export function exclusively<Result>(
  db: Database,
  work: (connection: Database) => Promise<Result>,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    await waitForLock(connection)
    try {
      return await work(connection)
    } finally {
      // On a broken connection the lock is gone, and this error must not hide the first.
      await sql`select pg_advisory_unlock(${KEY})`.execute(connection).catch(() => {})
    }
  })
}

/** Polls, as a query that waits for the lock would keep its snapshot, for which an index that is built concurrently waits. */
async function waitForLock(connection: Database): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ isLocked: boolean }>`
      select pg_try_advisory_lock(${KEY}) as "isLocked"`.execute(connection)
    if (rows[0]?.isLocked === true) return
    await sleep(POLL_MS)
  }
}
