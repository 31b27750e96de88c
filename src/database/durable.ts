import { type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'

/**
 * A column that lets its statement commit before it is on disk, for what `durable` waits for afterwards. Whoever tells others
 * of a change as it commits (db/migrations/013_changes.sql) holds a lock that all of them share (PostgreSQL 18,
 * PreCommit_Notify), so that they would wait for the disk one after another; so they wait for it together.
 */
export const COMMIT_AT_ONCE: RawBuilder<string> = sql`set_config('synchronous_commit', 'off', true)`

/** How each pool writes to disk what is waited for. */
const flushes = new WeakMap<Database, SharedFlush>()

/**
 * Resolves when all that was committed before the call is on disk, as after any usual commit. What was done with
 * COMMIT_AT_ONCE must not be acknowledged before.
 */
export function durable(db: Database): Promise<void> {
  const flush = flushes.get(db) ?? new SharedFlush(db)
  flushes.set(db, flush)
  return flush.wait()
}

class SharedFlush {
  private readonly db: Database
  private last: Promise<void> = Promise.resolve()
  private next: Promise<void> | null = null

  constructor(db: Database) {
    this.db = db
  }

  /** Calls that come while one is under way, which may not have seen their commits, share the one after it. */
  wait(): Promise<void> {
    this.next ??= this.last.then(() => {
      this.next = null
      const flush = this.flush()
      // A failure is told to who waited for it, and not to those after.
      this.last = flush.catch(() => undefined)
      return flush
    })
    return this.next
  }

  /** A usual commit of a transaction that says nothing: the log is on disk as far as that, whoever wrote it. */
  private async flush(): Promise<void> {
    await sql`select pg_logical_emit_message(true, 'handup', '')`.execute(this.db)
  }
}
