import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import type { Pair } from './rows.ts'

/** Columns of what staff decided about a question on the desk; the rest of its row follows from the posts. */
const DECIDED = [
  'assignee_id',
  'assigned_by',
  'assigned_at',
  'snoozed_until',
  'done_at',
  'done_by',
  'told_due_since',
  'reminded_since',
  'told_due_on',
] as const

/** Notes the desk of all questions that either account wrote in: a role that the merge changes may change whose turn they are. */
export async function noteDesks(write: Write, mergeId: number, pair: Pair, isBefore: boolean): Promise<void> {
  const both = sql`(${pair.fromId}, ${pair.intoId})`
  await sql`
    insert into account_merge_rows (merge_id, table_name, is_before, content)
    select ${mergeId}, 'question_desk', ${isBefore}, to_jsonb(desk) from question_desk as desk
    where question_id in (select id from questions where author_id in ${both}
      union select question_id from answers where author_id in ${both}
      union select question_id from replies where author_id in ${both})
      or assignee_id in ${both} or assigned_by in ${both} or done_by in ${both}`.execute(write)
}

/** Questions whose desk nobody changed since the merge. Read before an undo moves anything. */
export async function untouchedDesks(write: Write, mergeId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select desk.question_id as id from question_desk as desk
    join account_merge_rows as noted on noted.merge_id = ${mergeId} and noted.table_name = 'question_desk'
      and noted.column_name is null and not noted.is_before
    cross join lateral jsonb_populate_record(null::question_desk, noted.content) as after
    where desk.question_id = after.question_id and desk is not distinct from after`.execute(write)
  return rows.map(({ id }) => id)
}

/** Gives these questions back what staff had decided about them before the merge. */
export async function restoreDesks(write: Write, mergeId: number, ids: readonly number[]): Promise<void> {
  const columns = DECIDED.map((column) => sql`${sql.ref(column)} = before.${sql.ref(column)}`)
  await sql`
    update question_desk as desk set ${sql.join(columns)}
    from account_merge_rows as noted cross join lateral jsonb_populate_record(null::question_desk, noted.content) as before
    where noted.merge_id = ${mergeId} and noted.table_name = 'question_desk' and noted.column_name is null and noted.is_before
      and desk.question_id = before.question_id and desk.question_id = any(${[...ids]}::bigint[])`.execute(
    write,
  )
}
