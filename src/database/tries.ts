import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from './schema.ts'
import { sweep } from './sweep.ts'
import { together } from './together.ts'

/** How often something was tried in the time it is counted for, and in how many milliseconds the count begins anew. */
export interface Tries {
  readonly count: number
  readonly ttl: number
}

interface Try {
  readonly key: string
  readonly window: number
}

/** An end further away than a window is one of a clock that has been put back since; less than this is tries at once. */
const SLACK = sql`interval '1 minute'`
const IS_OVER = sql`(known.ends_at <= now() or known.ends_at > excluded.ends_at + ${SLACK})`

/**
 * Counts one try, in all processes together and by the database's clock.
 * @param name what is limited, and who
 * @param window milliseconds for which tries are counted, from the first one on
 */
export function countTry(db: Database, name: string, window: number): Promise<Tries> {
  return countTogether(db, { key: keyOf(name), window })
}

/** Keys in their order, so that no two processes wait for each other. */
const countTogether = together(async (db, tries: readonly Try[]): Promise<Tries[]> => {
  const { rows } = await sql<Tries & { key: string }>`
    insert into tries as known (key, count, ends_at)
    select decode(key, 'hex'), count(*), now() + max("window") * interval '1 millisecond'
    from json_to_recordset(${JSON.stringify(tries)}) as tried (key text, "window" float8)
    group by key order by key
    on conflict (key) do update set
      count = case when ${IS_OVER} then excluded.count else least(known.count + excluded.count, 1000000000) end,
      ends_at = case when ${IS_OVER} then excluded.ends_at else known.ends_at end
    returning encode(key, 'hex') as key, count,
      ceil(extract(epoch from ends_at - now()) * 1000)::float8 as ttl`.execute(db)
  const counted = new Map(rows.map((row) => [row.key, row]))
  return tries.map(({ key, window }, place) => {
    const { count, ttl } = counted.get(key) ?? { count: 1, ttl: window }
    // The last one of a name is the one that makes it so many.
    return { count: count - tries.slice(place + 1).filter((later) => later.key === key).length, ttl }
  })
})

/** The next try is the first one. */
export async function forgetTries(db: Database, name: string): Promise<void> {
  await sql`delete from tries where key = decode(${keyOf(name)}, 'hex')`.execute(db)
}

/** @returns how many counts went that had ended */
export function sweepTries(db: Database): Promise<number> {
  return sweep(db, 'tries', sql`ends_at <= now()`)
}

function keyOf(name: string): string {
  return createHash('sha256').update(name).digest('hex')
}
