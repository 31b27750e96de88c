import { type RawBuilder, sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { isReadableByPerson, joinReader } from '../../kernel/rights/visibility.ts'
import { type MentioningPost, notify } from './notify.ts'

/**
 * Keeps whom a post mentions, from now on exactly these, after the post itself was written or changed in the same transaction.
 * Those who may read the question follow it. Nobody is told yet: of a new post tellOfQuestion, tellOfAnswer and tellOfReply tell
 * them, together with all others; of an edit tellOfMentions.
 * @param personIds who may be mentioned, each once
 * @param actorId whose edit it is, who is named where those are told whom it mentions first
 * @returns the ids of those whom the post did not mention before
 */
export async function setMentions(
  write: Write,
  post: MentioningPost,
  personIds: readonly number[],
  actorId: number | null = null,
): Promise<number[]> {
  const { table, column, id } = keyOf(post)
  await sql`delete from mentions where ${column} = ${id}
    and not person_id = any(${[...personIds]})`.execute(write)
  const { rows } = await sql<{ id: number }>`
    with added as (
      insert into mentions (person_id, ${column}, mentioned_at, mentioned_by)
      select person.id, ${id}, ${changedAt(post)},
        nullif(${actorId}::bigint, (select author_id from ${table} where id = ${id}))
      from people as person where person.id = any(${[...personIds]}) and person.left_at is null
      order by person.id for key share
      on conflict on constraint mentions_key do nothing
      returning person_id
    ), following as (
      insert into question_follows (question_id, person_id)
      select q.id, person.id from added join people as person on person.id = added.person_id
      join questions as q on q.id = ${post.questionId} ${joinReader}
      where ${isReadableByPerson} order by person.id
      on conflict do nothing
    )
    select person_id as id from added order by person_id`.execute(write)
  return rows.map(({ id }) => id)
}

export async function notifyOfMentions(
  write: Write,
  post: MentioningPost,
  actorId: number,
  personIds: readonly number[],
): Promise<void> {
  if (personIds.length === 0) return
  await notify(
    write,
    { ...post, actorId, at: changedAt(post) },
    sql`select id as person_id, 'mention' as reason from people where id = any(${[...personIds]})`,
  )
}

export function mentionedBy(post: MentioningPost): RawBuilder<unknown> {
  const { column, id } = keyOf(post)
  return sql`select person_id, 'mention' from mentions where ${column} = ${id}`
}

export function keyOf({ questionId, answerId, replyId }: MentioningPost) {
  if (replyId !== undefined) return { table: sql.table('replies'), column: sql.ref('reply_id'), id: replyId }
  if (answerId !== undefined)
    return { table: sql.table('answers'), column: sql.ref('answer_id'), id: answerId }
  return { table: sql.table('questions'), column: sql.ref('question_id'), id: questionId }
}

/** With the milliseconds that a page knows, so that whoever has read the page has read it. */
function changedAt(post: MentioningPost): RawBuilder<Date> {
  const { table, id } = keyOf(post)
  return sql<Date>`(select date_trunc('milliseconds', coalesce(edited_at, written_at)) from ${table} where id = ${id})`
}
