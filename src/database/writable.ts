import { sql } from 'kysely'
import { isDiskFull } from './failures.ts'
import type { Database } from './schema.ts'

/** Required free space on the server's disk: several times a long post with its indexes. */
const REQUIRED_KB = 1024

/**
 * Why posts would fail although the database answers; null: they would not. Concurrent calls share one check.
 * @throws Error when the database does not answer
 */
export function whyUnwritable(db: Database): Promise<string | null> {
  const known = looking.get(db)
  if (known !== undefined) return known
  const why = look(db).finally(() => looking.delete(db))
  looking.set(db, why)
  return why
}

const looking = new WeakMap<Database, Promise<string | null>>()

async function look(db: Database): Promise<string | null> {
  const { rows } = await sql<{ is_read_only: boolean }>`
    select current_setting('transaction_read_only') = 'on' as is_read_only`.execute(db)
  if (rows[0]?.is_read_only === true) return 'the database can only be read'
  try {
    await spill.execute(db)
    return null
  } catch (error) {
    if (isDiskFull(error)) return 'the disk of the database is full'
    throw error
  }
}

/**
 * A sort that exceeds its memory writes a temporary file beside the data: that needs disk space, and leaves nothing
 * behind, unlike a probe in a table. Both statements are one transaction.
 */
const spill = sql.raw(`
  set local work_mem = '64kB';
  with rows as materialized (select repeat('x', 1000) as text from generate_series(1, ${REQUIRED_KB}))
    select count(*) from rows as one cross join (select 1) as other where one.text is not null`)
