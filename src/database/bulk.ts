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

/** A dropped index or foreign key, and the statement that restores it. */
export interface Dropped {
  readonly name: string
  readonly restore: string
}

/**
 * Drops the foreign keys of tables, whose rows are inserted before their targets, and optionally their indexes:
 * building an index afterwards is several times as fast as updating it row by row. The transaction's locks exclude all
 * others until they are restored, and a rollback restores them as well.
 * @param withIndexes also drops indexes other than those of primary and unique keys
 */
export async function dropIndexes(
  write: Write,
  tables: readonly string[],
  withIndexes: boolean,
): Promise<Dropped[]> {
  const keys = await sql<Dropped & { drop: string }>`
    select conname as name, format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
    from pg_constraint where contype = 'f' and conrelid = any(${tables}::regclass[]) order by conname`.execute(
    write,
  )
  const indexes = await sql<Dropped & { drop: string }>`
    select indexrelid::regclass::text as name, format('drop index %s', indexrelid::regclass) as drop,
      pg_get_indexdef(indexrelid) as restore
    from pg_index where ${withIndexes} and indrelid = any(${tables}::regclass[])
      and not exists (select from pg_constraint where conindid = indexrelid)
    order by indexrelid::regclass::text`.execute(write)
  // Foreign keys are restored last: checking them uses the indexes.
  const dropped = [...indexes.rows, ...keys.rows]
  for (const { drop } of dropped) await sql.raw(drop).execute(write)
  return dropped.map(({ name, restore }) => ({ name, restore }))
}

/** @param onRestored called after each one */
export async function restoreIndexes(
  write: Write,
  dropped: readonly Dropped[],
  onRestored: () => void,
): Promise<void> {
  // Sorting a million keys in memory is twice as fast; the setting is local to the transaction.
  await sql`set local maintenance_work_mem = '256MB'`.execute(write)
  for (const { restore } of dropped) {
    await sql.raw(restore).execute(write)
    onRestored()
  }
}
