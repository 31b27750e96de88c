import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'

/** Whether staff reset this very name of the person, and that is still in force. */
export async function isResetName(db: Database | Write, personId: number, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from measures where person_id = ${personId} and kind = 'reset-name' and ended_at is null
      and lower(former_name) = lower(${name}) limit 1`.execute(db)
  return rows.length > 0
}
