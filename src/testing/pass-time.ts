import { sql } from 'kysely'
import type { Database, Write } from '../database/schema.ts'

/** As if people had been notified so much earlier: what is to be sent to them is due so much sooner. @param interval as PostgreSQL has it */
export async function passTime(
  db: Database | Write,
  interval: string,
  people: readonly { readonly id: number }[],
): Promise<void> {
  const earlier = (column: string) => sql`${sql.ref(column)} = ${sql.ref(column)} - ${interval}::interval`
  await sql`
    update notifications set ${sql.join(TIMES.map(earlier))}
    where person_id = any(${people.map(({ id }) => id)})`.execute(db)
}

const TIMES = [
  'since_at',
  'happened_at',
  'due_at',
  'unmailed_since',
  'accepted_at',
  'endorsed_at',
  'overdue_at',
  'clarify_at',
]
