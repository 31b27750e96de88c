import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { UNDO_DAYS } from './merge.ts'

/** An account as the pages about merging show it. */
export interface MergingAccount {
  readonly id: number
  readonly displayName: string
  readonly email: string | null
  readonly lastSeenAt: Date | null
}

/** An open account by its number or address; undefined: there is none. */
export async function findMergingAccount(db: Database, typed: string): Promise<MergingAccount | undefined> {
  const called = typed.trim().toLowerCase()
  const id = /^[1-9]\d{0,14}$/.test(called) ? Number(called) : 0
  const { rows } = await sql<MergingAccount>`
    select id, display_name as "displayName", email,
      (select max(last_seen_at) from sessions where sessions.person_id = people.id) as "lastSeenAt"
    from people where (id = ${id} or email = ${called}) and left_at is null limit 1`.execute(db)
  return rows[0]
}

export interface UndoableMerge {
  readonly fromId: number
  readonly name: string
  readonly mergedAt: Date
  readonly undoableUntil: Date
}

/** Accounts merged into one, that can be taken apart again, newest first. Index account_merges_into. */
export async function listUndoable(db: Database, intoId: number): Promise<UndoableMerge[]> {
  const { rows } = await sql<UndoableMerge>`
    select from_id as "fromId", former ->> 'display_name' as name, merged_at as "mergedAt",
      merged_at + ${UNDO_DAYS} * interval '1 day' as "undoableUntil"
    from account_merges where into_id = ${intoId} and former is not null and merged_at >= now() - ${UNDO_DAYS} * interval '1 day'
    order by id desc limit 20`.execute(db)
  return rows
}
