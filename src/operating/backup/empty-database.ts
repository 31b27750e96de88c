import { sql } from 'kysely'
import { appliedMigrations } from '../../database/migrations/applied.ts'
import { namesMade } from '../../database/migrations/files.ts'
import type { Write } from '../../database/schema.ts'
import { BackupError } from './backup-error.ts'

/** An arbitrary key for an advisory lock, unique in this database. */
const LOCK = 7_340_120_622

/**
 * Ensures that a database is an empty installation, and that nobody signs up before the transaction ends: it is empty,
 * or has Handup's tables without people and courses, which all other content belongs to. Other objects in the schema
 * are refused, because removeTables may drop only what is Handup's.
 * @throws BackupError when it is not empty, with what to do instead
 */
export async function refuseUnlessEmpty(write: Write): Promise<void> {
  // The second of two concurrent restores then finds the data of the first.
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(write)
  const names = await namesIn(write)
  if (names.length === 0) return
  const isStarted = (await appliedMigrations(write)).length > 0
  const own = isStarted ? await namesMade() : new Set()
  const strange = names.filter((name) => !own.has(name))
  if (strange.length > 0)
    throw new BackupError(
      `the database holds what is not Handup's (${strange.slice(0, 3).join(', ')}): give Handup one of its own`,
    )
  await sql`lock table people, courses in access exclusive mode`.execute(write)
  const { rows } = await sql<{ people: number; courses: number }>`
    select (select count(*) from people) as people, (select count(*) from courses) as courses`.execute(write)
  const [found] = rows
  if (found !== undefined && found.people + found.courses > 0)
    throw new BackupError(
      `the database is in use (accounts: ${found.people}, courses: ${found.courses}). A backup goes into an empty one: ` +
        'set DATA_DIR to a new folder, or DATABASE_URL to a new database',
    )
}

/**
 * Drops Handup's tables, functions and types, so that they are created as the backup needs them. Other
 * schemas and members of extensions stay.
 */
export async function removeTables(write: Write): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select format('drop table %s cascade', oid::regclass) as statement from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    union all
    select format('drop routine if exists %s cascade', oid::regprocedure) from pg_proc as p
    where pronamespace = current_schema()::regnamespace and not exists (
      select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
    union all
    select format('drop type if exists %s cascade', oid::regtype) from pg_type as t
    where typnamespace = current_schema()::regnamespace and typtype in ('e', 'd') and not exists (
      select from pg_depend where classid = 'pg_type'::regclass and objid = t.oid and deptype = 'e')`.execute(
    write,
  )
  for (const { statement } of rows) await sql.raw(statement).execute(write)
}

/** Tables, views, sequences, functions and types of the schema, except members of extensions and types of tables. */
async function namesIn(write: Write): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with inside as (select classid, objid from pg_depend where deptype in ('e', 'i', 'a'))
    select relname::text as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and not exists (select from inside where classid = 'pg_class'::regclass and objid = pg_class.oid)
    union select proname from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select from inside where classid = 'pg_proc'::regclass and objid = pg_proc.oid)
    union select typname from pg_type
    where typnamespace = current_schema()::regnamespace and typtype in ('e', 'd')
      and not exists (select from inside where classid = 'pg_type'::regclass and objid = pg_type.oid)
    order by name`.execute(write)
  return rows.map((row) => row.name)
}
