import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { readEventLog } from './cursor.ts'

/** Is told of events as they get their numbers, in the same transaction: of those from `from` to `to`. */
export type EventListener = (
  write: Write,
  numbers: { readonly from: number; readonly to: number },
) => Promise<void>

/** An arbitrary key for an advisory lock, unique in this database. */
const LOCK = 7_340_120_623
/** Events that one transaction numbers. */
const BATCH = 500

/**
 * Numbers all events that were committed, in the order of their ids. While another process does, nothing: what is committed meanwhile
 * wakes that one, too.
 */
export async function numberEvents(db: Database, listener?: EventListener): Promise<void> {
  for (let count = BATCH; count === BATCH; )
    count = await db.transaction().execute((write) => numberSome(write, listener))
}

/** @returns how many */
async function numberSome(write: Write, listener: EventListener | undefined): Promise<number> {
  const { rows: locks } = await sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(${LOCK}) as "isOurs"`.execute(write)
  if (locks[0]?.isOurs !== true) return 0
  await readEventLog(write)
  // A statement of its own: it sees what the last one who had the lock has numbered.
  const { rows } = await sql<{ from: number; to: number }>`
    with waiting as (
      select id, row_number() over (order by id) as place
      from (select id from events where number is null order by id limit ${BATCH}) as event),
    numbered as (
      update events set number = event_log.numbered_to + waiting.place
      from waiting, event_log where events.id = waiting.id
      returning events.number)
    update event_log set numbered_to = numbered.to
    from (select min(number) as "from", max(number) as "to" from numbered having count(*) > 0) as numbered
    returning numbered.from, numbered.to`.execute(write)
  const [numbers] = rows
  if (numbers === undefined) return 0
  await sql`select invalidate(json_build_object('scopes', array[]::text[], 'events', ${numbers.to}::bigint))`.execute(
    write,
  )
  await listener?.(write, numbers)
  return numbers.to - numbers.from + 1
}

/** The trigger events_wake names it. */
export const EVENTS = 'events'

/** Numbers events whenever some were written, and by the clock. There are no jobs to do. */
export const numberingKind = (db: Database, listener?: EventListener): Kind => ({
  ...{ name: EVENTS, concurrency: 1, batch: 1, timeout: 0 },
  capacity: () => 0,
  plan: () => numberEvents(db, listener),
  run: async () => {},
})
