import { sql } from 'kysely'
import type { Database, Write } from '../database/schema.ts'

/** A day in as many days, as a form has it. */
export const aDayAhead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** As if people had been notified so much earlier: what is to be sent to them is due so much sooner. @param interval as PostgreSQL has it */
export async function passTime(
  db: Database | Write,
  interval: string,
  people: readonly { readonly id: number }[],
): Promise<void> {
  const ids = people.map(({ id }) => id)
  const shift = (column: string) => sql`${sql.ref(column)} - ${interval}::interval`
  const earlier = (column: string) => sql`${sql.ref(column)} = ${shift(column)}`
  await sql`
    update notifications set ${sql.join(TIMES.map(earlier))} where person_id = any(${ids})`.execute(db)
  await sql`
    update deliveries set ${earlier('waiting_since')} where person_id = any(${ids})`.execute(db)
  // All are removed before the first one comes back: a window may end where another one did.
  await sql`
    with removed as (delete from delivery_windows where person_id = any(${ids}) returning *)
    insert into delivery_windows
    select person_id, channel, ${shift('begins_at')}, ${shift('ends_at')}, priority from removed order by ends_at`.execute(
    db,
  )
}

const TIMES = [
  'since_at',
  'happened_at',
  'accepted_at',
  'endorsed_at',
  'overdue_at',
  'clarify_at',
  'moved_at',
  'converted_at',
]
