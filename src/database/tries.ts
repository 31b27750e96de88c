import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from './schema.ts'
import { sweep } from './sweep.ts'

/** How often something was tried in the time it is counted for, and in how many milliseconds the count begins anew. */
export interface Tries {
  readonly count: number
  readonly ttl: number
}

/** An end further away than a window is one of a clock that has been put back since; less than this is tries at once. */
const SLACK = sql`interval '1 minute'`

/**
 * Counts one try, in all processes together and by the database's clock.
 * @param name what is limited, and who
 * @param window milliseconds for which tries are counted, from the first one on
 */
export async function countTry(db: Database, name: string, window: number): Promise<Tries> {
  const end = sql`now() + ${window} * interval '1 millisecond'`
  const isOver = sql`(known.ends_at <= now() or known.ends_at > ${end} + ${SLACK})`
  const { rows } = await sql<Tries>`
    insert into tries as known (key, count, ends_at) values (${keyOf(name)}, 1, ${end})
    on conflict (key) do update set
      count = case when ${isOver} then 1 else least(known.count + 1, 1000000000) end,
      ends_at = case when ${isOver} then ${end} else known.ends_at end
    returning count, ceil(extract(epoch from ends_at - now()) * 1000)::float8 as ttl`.execute(db)
  return rows[0] ?? { count: 1, ttl: window }
}

/** The next try is the first one. */
export async function forgetTries(db: Database, name: string): Promise<void> {
  await sql`delete from tries where key = ${keyOf(name)}`.execute(db)
}

/** @returns how many counts went that had ended */
export function sweepTries(db: Database): Promise<number> {
  return sweep(db, 'tries', sql`ends_at <= now()`)
}

function keyOf(name: string): Buffer {
  return createHash('sha256').update(name).digest()
}
