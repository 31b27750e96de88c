import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'

const WAYS: Readonly<Record<string, string>> = { O: 'enable', A: 'enable always', R: 'enable replica' }

/**
 * Runs `work` with the tables' own triggers disabled: the rows already hold what the triggers derive. Ownership of the
 * tables is enough. Foreign keys and other internal triggers stay enabled.
 */
export async function withQuietTriggers(write: Write, work: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ place: string; name: string; state: string }>`
    select tgrelid::regclass::text as place, quote_ident(tgname) as name, tgenabled::text as state
    from pg_trigger join pg_class on pg_class.oid = tgrelid
    where not tgisinternal and tgenabled <> 'D' and relnamespace = current_schema()::regnamespace`.execute(
    write,
  )
  for (const { place, name } of rows)
    await sql.raw(`alter table ${place} disable trigger ${name}`).execute(write)
  await work()
  for (const { place, name, state } of rows)
    await sql.raw(`alter table ${place} ${WAYS[state] ?? 'enable'} trigger ${name}`).execute(write)
}
