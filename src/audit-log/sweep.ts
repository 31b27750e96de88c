import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'

/** Deletes entries that are older than the forum's setting says, some at a time. @returns how many */
export async function sweepAudit(db: Database): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    select prune_audit(make_interval(months => coalesce((select audit_months from site_settings), 24))) as deleted`.execute(
    db,
  )
  return rows[0]?.deleted ?? 0
}
