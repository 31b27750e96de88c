import { sql } from 'kysely'
import type { Write } from './schema.ts'

/** Turns off the change feed's triggers to the end of the transaction: endBulk announces all of its changes at once. */
export async function beginBulk(write: Write): Promise<void> {
  await sql`select set_config('handup.bulk', 'on', true)`.execute(write)
}

/** Announces, as this transaction is committed, that anything may have changed. */
export async function endBulk(write: Write): Promise<void> {
  await sql`select invalidate('{"scopes": ["*"]}')`.execute(write)
}
