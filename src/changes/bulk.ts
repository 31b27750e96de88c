import { sql } from 'kysely'
import type { Write } from '../database/schema.ts'

/** From here to the end of the transaction no row tells of its change (db/migrations/013_changes.sql): endBulk tells of all. */
export async function beginBulk(write: Write): Promise<void> {
  await sql`select set_config('handup.bulk', 'on', true)`.execute(write)
}

/** Tells, once this transaction is committed, that anything may be different. */
export async function endBulk(write: Write): Promise<void> {
  await sql`select tell_change('{"all":true}')`.execute(write)
}
