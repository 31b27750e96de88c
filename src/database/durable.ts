import { type RawBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'
import { together } from './together.ts'

/**
 * A column that lets its statement commit before it is on disk, for what `durable` waits for afterwards. Whoever tells others
 * of a change as it commits (db/migrations/013_changes.sql) holds a lock that all of them share (PostgreSQL 18,
 * PreCommit_Notify), so that they would wait for the disk one after another; so they wait for it together.
 */
export const COMMIT_BEFORE_FLUSH: RawBuilder<string> = sql`set_config('synchronous_commit', 'off', true)`

/**
 * Resolves when all that was committed before the call is on disk, as after any usual commit. What was done with
 * COMMIT_BEFORE_FLUSH must not be acknowledged before.
 */
export function durable(db: Database): Promise<void> {
  return flushTogether(db, undefined)
}

/** A usual commit of a transaction that says nothing: the log is on disk as far as that, whoever wrote it. */
const flushTogether = together<undefined, void>(async (db) => {
  await sql`select pg_logical_emit_message(true, 'handup', '')`.execute(db)
  return []
})
