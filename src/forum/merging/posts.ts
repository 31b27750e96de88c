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

/** Whether both accounts are anonymous in a question. */
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

/** Votes of either account for posts of the other are votes for one's own once they are one: they end. */
export async function endOwnVotes(write: Write, { fromId, intoId }: Pair): Promise<void> {
  for (const [votes, posts, post] of [
    ['question_votes', 'questions', 'question_id'],
    ['answer_votes', 'answers', 'answer_id'],
  ] as const)
    await sql`
      delete from ${sql.table(votes)} as vote using ${sql.table(posts)} as post
      where post.id = vote.${sql.ref(post)} and vote.person_id <> post.author_id
        and vote.person_id in (${fromId}, ${intoId}) and post.author_id in (${fromId}, ${intoId})`.execute(
      write,
    )
}
