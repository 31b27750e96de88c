import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { table } from '../../database/table.ts'
import { type BelowTable, KINDS } from '../posts/kinds.ts'
import { COLUMNS_BELOW, NAMING_POSTS } from '../posts/tables.ts'
import { indexQuestions } from '../search/index-question.ts'

/** How long staff can undo a conversion, which gives an answer its votes back. */
const UNDO_TIME = sql`interval '1 hour'`

export const conversionUndos = table(
  'conversion_undos',
  {},
  { key: ['conversion_id'], expired: sql`made_at < now() - ${UNDO_TIME}` },
)

/** An answer or a reply of a question, which is locked. */
export interface Below {
  readonly table: BelowTable
  readonly id: number
  readonly questionId: number
}

export const OTHER = { answers: 'replies', replies: 'answers' } as const satisfies Record<
  BelowTable,
  BelowTable
>

/**
 * Makes an answer of a reply, or a reply of an answer, and keeps what an undo needs.
 * @param under the answer that a reply is under then; null: the question
 * @returns the id of the new post
 */
export async function convert(write: Write, post: Below, under: number | null): Promise<number> {
  const kept = await keepForUndo(write, post)
  const { id, conversionId } = await become(write, post, under, null)
  await sql`delete from conversion_undos using conversions as conversion
    where conversion.id = conversion_id and conversion.${sql.ref(KINDS[OTHER[post.table]].column)} = ${id}`.execute(
    write,
  )
  await sql`
    insert into conversion_undos (conversion_id, answer_id, votes, imported_votes_count, reply_ids)
    values (${conversionId}, ${kept.under}, ${JSON.stringify(kept.votes)}::jsonb, ${kept.importedVotes},
      ${[...kept.replyIds]}::bigint[])`.execute(write)
  return id
}

async function keepForUndo(write: Write, { table: from, id, questionId }: Below) {
  const { rows } = await sql<Kept>`
    select ${from === 'replies' ? sql`post.answer_id` : sql`null::bigint`} as under,
      ${from === 'answers' ? sql`post.imported_votes_count` : sql`0`} as "importedVotes",
      (select coalesce(jsonb_agg(jsonb_build_object('person_id', person_id, 'voted_at', voted_at)), '[]')
        from answer_votes where ${from === 'answers'} and answer_id = post.id) as votes,
      (select coalesce(jsonb_agg(id), '[]') from replies
        where ${from === 'answers'} and question_id = ${questionId} and answer_id = post.id) as "replyIds"
    from ${sql.table(from)} as post where post.id = ${id}`.execute(write)
  return rows[0] ?? { under: null, importedVotes: 0, votes: [], replyIds: [] }
}

interface Kept {
  readonly under: number | null
  readonly importedVotes: number
  readonly votes: readonly unknown[]
  readonly replyIds: readonly number[]
}

/**
 * Takes back the last conversion of a post, within an hour: it has its old number again, and an answer its votes and replies, as far as
 * these are still there.
 * @returns the id; null: there is nothing to undo
 */
export async function undoConversion(write: Write, post: Below): Promise<number | null> {
  const { rows } = await sql<Kept & { id: number }>`
    select conversion.from_id as id, undo.imported_votes_count as "importedVotes", undo.votes, to_jsonb(undo.reply_ids) as "replyIds",
      (select id from answers where id = undo.answer_id and is_shown) as under
    from conversion_undos as undo join conversions as conversion on conversion.id = undo.conversion_id
    where conversion.${sql.ref(KINDS[post.table].column)} = ${post.id} and undo.made_at > now() - ${UNDO_TIME}
    order by conversion.id desc limit 1`.execute(write)
  const [last] = rows
  if (last === undefined) return null
  await become(write, post, last.under, last.id)
  if (post.table === 'replies') await giveBack(write, { ...post, id: last.id }, last)
  return last.id
}

/** Gives an answer its votes, but those of people who left or became its author, and the replies that were under it. */
async function giveBack(write: Write, { id, questionId }: Below, { votes, importedVotes, replyIds }: Kept) {
  await sql`
    insert into answer_votes (answer_id, person_id, voted_at)
    select ${id}, voter.id, vote.voted_at
    from jsonb_to_recordset(${JSON.stringify(votes)}::jsonb) as vote (person_id bigint, voted_at timestamptz)
    join people as voter on voter.id = vote.person_id and voter.left_at is null
    where voter.id <> (select author_id from answers where id = ${id})
    order by voter.id for key share of voter`.execute(write)
  await sql`
    update answers set imported_votes_count = ${importedVotes},
      votes_count = ${importedVotes} + (select count(*) from answer_votes where answer_id = ${id})
    where id = ${id}`.execute(write)
  await sql`
    update replies set answer_id = ${id}
    where question_id = ${questionId} and id = any(${[...replyIds]}::bigint[])`.execute(write)
  await indexQuestions(write, [questionId])
}

/**
 * Moves a post into the other table, with all that names it (NAMING_POSTS), and leads from its old number to it.
 * @param id the number that it has then; null: a new one
 */
async function become(write: Write, post: Below, under: number | null, given: number | null) {
  const { table: from, questionId } = post
  const to = OTHER[from]
  const columns = sql.join(COLUMNS_BELOW.map((column) => sql.ref(column)))
  const place = to === 'replies' ? sql`, answer_id` : sql``
  const placed = to === 'replies' ? sql`, ${under}::bigint` : sql``
  const { rows } = await sql<{ id: number }>`
    insert into ${sql.table(to)} (id, ${columns}${place}) overriding system value
    select coalesce(${given}::bigint, nextval(pg_get_serial_sequence(${to}, 'id'))), ${columns}${placed}
    from ${sql.table(from)} where id = ${post.id} returning id`.execute(write)
  const id = rows[0]?.id ?? 0
  if (from === 'answers')
    for (const name of NAMING_POSTS.below) {
      // The index of those that grow begins with the question.
      const isThere = name === 'conversion_undos' ? sql`true` : sql`question_id = ${questionId}`
      await sql`update ${sql.table(name)} set answer_id = ${under} where answer_id = ${post.id} and ${isThere}`.execute(
        write,
      )
    }
  for (const { table: name, [from]: old, [to]: column } of NAMING_POSTS.moves)
    await sql`
      update ${sql.table(name)} set ${sql.ref(column)} = ${id}, ${sql.ref(old)} = null
      where ${sql.ref(old)} = ${post.id}`.execute(write)
  if (from === 'replies')
    await sql`update reply_keys set answer_id = ${id} where reply_id = ${post.id}`.execute(write)
  await renameIn(write, { from, to, fromId: post.id, id, questionId, under })
  const conversionId = await leadOn(write, { from, to, fromId: post.id, id, questionId })
  await sql`delete from ${sql.table(from)} where id = ${post.id}`.execute(write)
  await indexQuestions(write, [questionId])
  return { id, conversionId }
}

interface Became {
  readonly from: BelowTable
  readonly to: BelowTable
  readonly fromId: number
  readonly id: number
  readonly questionId: number
}

/** What names a post by words: cases its element, drafts their form, and what an undo of a merge of accounts changes back. */
async function renameIn(
  write: Write,
  { from, to, fromId, id, questionId, under }: Became & { under: number | null },
) {
  const subject = (of: BelowTable, number: number) => `${KINDS[of].kind}-${number}`
  await sql`update cases set subject = ${subject(to, id)} where subject = ${subject(from, fromId)}`.execute(
    write,
  )
  await sql`
    update account_merge_rows set table_name = ${to}, content = jsonb_build_object('id', ${id}::bigint)
    where table_name = ${from} and column_name is not null and content = jsonb_build_object('id', ${fromId}::bigint)`.execute(
    write,
  )
  const repliesTo = under === null ? `/questions/${questionId}/replies` : `/answers/${under}/replies`
  const places = [
    [`/${from}/${fromId}/edit`, `/${to}/${id}/edit`],
    ...(from === 'answers' ? [[`/answers/${fromId}/replies`, repliesTo]] : []),
  ]
  for (const [old, place] of places)
    await sql`
      update drafts set place = ${place} where place = ${old}
        and not exists (select from drafts as other where other.person_id = drafts.person_id and other.place = ${place})`.execute(
      write,
    )
}

/** An undo gives the old number back: nothing leads on from it any more. */
async function leadOn(write: Write, { from, to, fromId, id, questionId }: Became): Promise<number> {
  await sql`delete from conversions where from_kind = ${KINDS[to].kind} and from_id = ${id}`.execute(write)
  const { rows } = await sql<{ id: number }>`
    insert into conversions (question_id, from_kind, from_id, ${sql.ref(KINDS[to].column)})
    values (${questionId}, ${KINDS[from].kind}, ${fromId}, ${id}) returning id`.execute(write)
  return rows[0]?.id ?? 0
}
