import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from './schema.ts'
import { sweep } from './terms.ts'

/** The attempts in the current window, and the milliseconds until the count resets. */
export interface Tries {
  readonly count: number
  readonly ttl: number
}

/**
 * An end further away than the window, with a minute for concurrent attempts, was set before the clock was
 * put back.
 */
const IS_OVER = sql`(known.ends_at <= now() or known.ends_at > excluded.ends_at + interval '1 minute')`

/**
 * Counts one attempt, across all processes and by the database's clock. In a transaction a rollback undoes the count,
 * and concurrent counts of the same name wait for its end.
 * @param name what is limited, and for whom
 * @param window length of the window in milliseconds, from its first attempt on
 * @param amount what it counts as
 */
export async function countTry(
  db: Database | Write,
  name: string,
  window: number,
  amount = 1,
): Promise<Tries> {
  const { rows } = await sql<Tries>`
    insert into tries as known (key, count, ends_at)
    values (decode(${keyOf(name)}, 'hex'), ${amount}, now() + ${window}::float8 * interval '1 millisecond')
    on conflict (key) do update set
      count = case when ${IS_OVER} then excluded.count else least(known.count + excluded.count, 1000000000) end,
      ends_at = case when ${IS_OVER} then excluded.ends_at else known.ends_at end
    returning count, ceil(extract(epoch from ends_at - now()) * 1000)::float8 as ttl`.execute(db)
  return rows[0] ?? { count: amount, ttl: window }
}

/** As countTry does, for many names at once. @returns how many each has now, in their order */
export async function countTries(write: Write, names: readonly string[], window: number): Promise<number[]> {
  const keys = names.map(keyOf)
  // In the order of keys, so that no two transactions wait for each other.
  const { rows } = await sql<{ key: string; count: number }>`
    insert into tries as known (key, count, ends_at)
    select decode(key, 'hex'), 1, now() + ${window}::float8 * interval '1 millisecond'
    from unnest(${keys}::text[]) as one (key) order by key
    on conflict (key) do update set
      count = case when ${IS_OVER} then 1 else least(known.count + 1, 1000000000) end,
      ends_at = case when ${IS_OVER} then excluded.ends_at else known.ends_at end
    returning encode(key, 'hex') as key, count`.execute(write)
  const counts = new Map(rows.map(({ key, count }) => [key, count]))
  return keys.map((key) => counts.get(key) ?? 0)
}

/** Which of these names have no attempt in their window, in their order. */
export async function untriedOf(write: Write, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select encode(tries.key, 'hex') as key from unnest(${names.map(keyOf)}::text[]) as one (key)
    join tries on tries.key = decode(one.key, 'hex') where ends_at > now()`.execute(write)
  const tried = new Set(rows.map(({ key }) => key))
  return names.filter((name) => !tried.has(keyOf(name)))
}

export async function forgetTries(db: Database, name: string): Promise<void> {
  await sql`delete from tries where key = decode(${keyOf(name)}, 'hex')`.execute(db)
}

export function sweepTries(db: Database): Promise<number> {
  return sweep(db, 'tries', sql`ends_at <= now()`)
}

function keyOf(name: string): string {
  return createHash('sha256').update(name).digest('hex')
}
