import { type RawBuilder, sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { type MovedColumns, movedColumns, type Pair } from './rows.ts'

/**
 * Gives everything that names the closed account as author or doer to the other, and notes the keys of these rows. What stays:
 * anonymous posts of questions where both are anonymous, as moving them would show that two stand-ins are one person; and reports
 * that both made, or that are about one of them.
 */
export async function moveColumns(write: Write, mergeId: number, pair: Pair): Promise<void> {
  for (const named of movedColumns())
    for (const column of named.columns) await moveColumn(write, mergeId, named, column, pair)
  await moveProfileCase(write, mergeId, pair)
}

async function moveColumn(
  write: Write,
  mergeId: number,
  named: MovedColumns,
  column: string,
  { fromId, intoId }: Pair,
): Promise<void> {
  const person = sql.ref(column)
  const keys = named.key.map((name) => sql`${sql.lit(name)}, kept.${sql.ref(name)}`)
  await sql`
    with moved as (
      update ${sql.table(named.name)} as kept set ${person} = ${intoId}
      where kept.${person} = ${fromId} and not ${stays(named, column, { fromId, intoId })}
      returning jsonb_build_object(${sql.join(keys)}) as content)
    insert into account_merge_rows (merge_id, table_name, column_name, is_before, content)
    select ${mergeId}, ${named.name}, ${column}, true, content from moved`.execute(write)
}

function stays(
  { name, question }: MovedColumns,
  column: string,
  { fromId, intoId }: Pair,
): RawBuilder<boolean> {
  if (question !== undefined && column === 'author_id')
    return sql<boolean>`(kept.is_anonymous and ${haveBothStandIns(sql`kept.${sql.ref(question)}`, { fromId, intoId })})`
  if (name !== 'reports') return sql<boolean>`false`
  return sql<boolean>`(exists (select from cases where cases.id = kept.case_id and cases.person_id in (${fromId}, ${intoId}))
    or exists (select from reports as other where other.case_id = kept.case_id and other.person_id = ${intoId}
      and other.text_version = kept.text_version))`
}

export function haveBothStandIns(
  questionId: RawBuilder<unknown>,
  { fromId, intoId }: Pair,
): RawBuilder<boolean> {
  return sql<boolean>`(select count(*) = 2 from stand_ins
    where stand_ins.question_id = ${questionId} and stand_ins.person_id in (${fromId}, ${intoId}))`
}

/** Cases about the profile: an open one only where the other account has none. */
async function moveProfileCase(write: Write, mergeId: number, { fromId, intoId }: Pair): Promise<void> {
  await sql`
    with moved as (
      update cases set subject = ${`person-${intoId}`} where subject = ${`person-${fromId}`}
        and (state <> 'open' or not exists (select from cases as other where other.subject = ${`person-${intoId}`} and other.state = 'open'))
      returning jsonb_build_object('id', id) as content)
    insert into account_merge_rows (merge_id, table_name, column_name, is_before, content)
    select ${mergeId}, 'cases', 'subject', true, content from moved`.execute(write)
}

/** Votes, the posts they are for, and the column that says for which. */
export const VOTES = [
  ['question_votes', 'questions', 'question_id'],
  ['answer_votes', 'answers', 'answer_id'],
] as const

/** Votes of either account for posts of the other are votes for one's own once they are one: they end. */
export async function endOwnVotes(write: Write, { fromId, intoId }: Pair): Promise<void> {
  for (const [votes, posts, post] of VOTES)
    await sql`
      delete from ${sql.table(votes)} as vote using ${sql.table(posts)} as post
      where post.id = vote.${sql.ref(post)} and vote.person_id <> post.author_id
        and vote.person_id in (${fromId}, ${intoId}) and post.author_id in (${fromId}, ${intoId})`.execute(
      write,
    )
}

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
