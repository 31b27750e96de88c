import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { joinReader } from '../../kernel/rights/visibility.ts'
import type { Message } from '../../messages/catalogue.ts'
import { mentionedIn } from '../../text/mentions.ts'
import { typedFields } from '../../web/form.ts'
import { isMentionable } from '../mentions/queries.ts'
import { saidOfNames } from '../mentions/typed.ts'
import { notifyOfMentions, setMentions } from '../telling/mentions.ts'
import type { MentioningPost } from '../telling/notify.ts'
import { KINDS, type PostKey } from './kinds.ts'

type MentioningText = PostKey & { readonly questionId: number }

/**
 * Keeps whom a new post mentions, in its transaction, after its author has joined the course and before anybody is told. Others than
 * those who may be mentioned are left out: their names stay text.
 * @param html of the post
 */
export async function noteMentions(write: Write, text: MentioningText, html: string): Promise<void> {
  const ids = await mentionableIn(write, text, html)
  if (ids.length > 0) await setMentions(write, postOf(text), ids)
}

/** The same of an edit, which tells those whom the post did not mention before; of a held one when it is let through. */
export async function changeMentions(write: Write, text: MentioningText, html: string, actorId: number) {
  const post = postOf(text)
  const isHeld = write
    .selectFrom(text.table)
    .select('id')
    .where('id', '=', text.id)
    .where('held_at', 'is not', null)
  if ((await isHeld.executeTakeFirst()) !== undefined) return
  const added = await setMentions(write, post, await mentionableIn(write, text, html), actorId)
  await notifyOfMentions(write, post, actorId, added)
}

/**
 * What is said after a post was written: that it was, and which names in it notify no one.
 * @param done the post; null or undefined: the same form came before. One that is held notifies no one yet
 */
export async function saidOfPost(
  { server, body }: FastifyRequest,
  table: PostKey['table'],
  done: { readonly id: number; readonly isHeld?: boolean } | null | undefined,
  said: string,
): Promise<{ readonly said: readonly [Message, ...Message[]] }> {
  if (done?.isHeld === true) return { said: [{ key: 'posts.flash.held' }] }
  const id = done?.id
  const isNaming = typedFields(body).body?.includes('@') === true
  if (id === undefined || !isNaming) return { said: [{ key: said }] }
  const column = sql.ref(KINDS[table].column)
  const { html, notified } = await server.db
    .selectFrom(table)
    .select('body_html as html')
    .select(
      sql<number[]>`to_jsonb(array(select person_id from mentions where ${column} = ${id}))`.as('notified'),
    )
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { said: [{ key: said }, ...saidOfNames(html, notified)] }
}

async function mentionableIn(write: Write, { questionId }: MentioningText, html: string): Promise<number[]> {
  const ids = mentionedIn(html)
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number }>`
    select person.id from people as person join questions as q on q.id = ${questionId} ${joinReader}
    where person.id = any(${ids}) and ${isMentionable}`.execute(write)
  return rows.map(({ id }) => id)
}

function postOf({ table, id, questionId }: MentioningText): MentioningPost {
  if (table === 'answers') return { questionId, answerId: id }
  return table === 'replies' ? { questionId, replyId: id } : { questionId }
}
