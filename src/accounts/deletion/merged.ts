import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { UNDO_DAYS } from '../merging/merge.ts'
import { forgetMails, forgetPersonal } from './personal.ts'

/** Forgets what was kept of accounts whose merge can no longer be undone. @returns how many */
export async function finishMerges(db: Database): Promise<number> {
  return db.transaction().execute(async (write) => {
    const { rows } = await sql<{ fromId: number }>`
      select from_id as "fromId" from account_merges
      where former is not null and merged_at < now() - ${UNDO_DAYS} * interval '1 day'
      order by merged_at limit 100 for update skip locked`.execute(write)
    for (const { fromId } of rows) await finishMerge(write, fromId)
    return rows.length
  })
}

/** The same for the accounts that were merged into one that is deleted: its owner wants to be forgotten. */
export async function finishMergesInto(write: Write, personId: number): Promise<void> {
  const merges = await write
    .selectFrom('account_merges')
    .select('from_id')
    .where('into_id', '=', personId)
    .where('former', 'is not', null)
    .execute()
  for (const { from_id: fromId } of merges) await finishMerge(write, fromId)
}

async function finishMerge(write: Write, fromId: number): Promise<void> {
  await forgetPersonal(write, fromId)
  await forgetMails(write, fromId)
  await sql`delete from account_merge_rows using account_merges as merged
    where merged.id = merge_id and merged.from_id = ${fromId}`.execute(write)
  await write.updateTable('account_merges').set({ former: null }).where('from_id', '=', fromId).execute()
}
