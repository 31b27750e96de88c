import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { may } from '../../kernel/rights/rights.ts'
import { API } from '../../web/json/endpoint.ts'
import { replyPath } from '../../web/paths.ts'
import { findPlace, questionOf } from '../posts/find.ts'
import { type BelowTable, TABLES } from '../posts/kinds.ts'

/** Below an address of a post: the prefix of programs, what it is, its number, the rest. */
const ADDRESS = /^(\/api\/v1)?\/(answers|replies)\/([1-9]\d{0,14})((?:\/[^?]*)?)(?:\?|$)/

/**
 * Where what isn't at an address is now: an answer that became a reply, or the reverse, and what is below it. Only for those who may read
 * it: others learn nothing of it.
 * @returns null: it never was there, or isn't for them
 */
export async function findMoved({ url, person, server }: FastifyRequest): Promise<string | null> {
  const [, prefix = '', folder, id, rest = ''] = ADDRESS.exec(url) ?? []
  if (id === undefined) return null
  const { rows } = await sql<{ kind: 'answer' | 'reply'; id: number; under: number | null }>`
    select case when conversion.answer_id is null then 'reply' else 'answer' end as kind,
      coalesce(conversion.answer_id, conversion.reply_id) as id, reply.answer_id as under
    from conversions as conversion left join replies as reply on reply.id = conversion.reply_id
    where conversion.from_kind = ${folder === 'answers' ? 'answer' : 'reply'} and conversion.from_id = ${id}`.execute(
    server.db,
  )
  const [now] = rows
  if (now === undefined) return null
  const table: BelowTable = TABLES[now.kind]
  const post = await findPlace(server.db, { table, id: now.id })
  if (!may(person, 'read', { ...post, isDeleted: false, isPurged: false })) return null
  // What was below an answer is beside it, and only an answer has a page of its own.
  if (table === 'replies' && rest === '/replies')
    return `${prefix}${now.under === null ? `/questions/${post.questionId}` : `/answers/${now.under}`}/replies`
  if (table === 'replies' && rest === '' && prefix !== API) return replyPath(questionOf(post), now.id)
  return `${prefix}/${table}/${now.id}${rest}`
}
