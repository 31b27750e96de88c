import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database, Write } from './schema.ts'
import { sweep } from './sweep.ts'

/** The attempts in the current window, and the milliseconds until the count resets. */
export interface Tries {
  readonly count: number
  readonly ttl: number
}

/**
 * Tolerance for concurrent attempts: an end further away than window and tolerance was set before the clock was put
 * back.
 */
const SLACK = sql`interval '1 minute'`
const IS_OVER = sql`(known.ends_at <= now() or known.ends_at > excluded.ends_at + ${SLACK})`

/**
 * Counts one attempt, across all processes and by the database's clock. In a transaction a rollback undoes the count,
 * and concurrent counts of the same name wait for its end.
 * @param name what is limited, and for whom
 * @param window length of the window in milliseconds, from its first attempt on
 */
export async function countTry(db: Database | Write, name: string, window: number): Promise<Tries> {
  const { rows } = await sql<Tries>`
    insert into tries as known (key, count, ends_at)
    values (decode(${keyOf(name)}, 'hex'), 1, now() + ${window}::float8 * interval '1 millisecond')
    on conflict (key) do update set
      count = case when ${IS_OVER} then 1 else least(known.count + 1, 1000000000) end,
      ends_at = case when ${IS_OVER} then excluded.ends_at else known.ends_at end
    returning count, ceil(extract(epoch from ends_at - now()) * 1000)::float8 as ttl`.execute(db)
  return rows[0] ?? { count: 1, ttl: window }
}

/** The number of attempts so far, without counting one. */
export async function triesOf(db: Database, name: string): Promise<Tries> {
  const { rows } = await sql<Tries>`
    select count, ceil(extract(epoch from ends_at - now()) * 1000)::float8 as ttl
    from tries where key = decode(${keyOf(name)}, 'hex') and ends_at > now()`.execute(db)
  return rows[0] ?? { count: 0, ttl: 0 }
}

/** Resets the count. */
export async function forgetTries(db: Database, name: string): Promise<void> {
  await sql`delete from tries where key = decode(${keyOf(name)}, 'hex')`.execute(db)
}

/** @returns the number of expired counts deleted */
export function sweepTries(db: Database): Promise<number> {
  return sweep(db, 'tries', sql`ends_at <= now()`)
}

function keyOf(name: string): string {
  return createHash('sha256').update(name).digest('hex')
}
