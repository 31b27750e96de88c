import { type RawBuilder, sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { table } from '../../database/table.ts'
import { term } from '../../database/terms.ts'
import { KINDS, type PostKey } from '../posts/kinds.ts'

const LIFETIME = term('leftOutTexts')

export const leftOutTexts = table(
  'left_out_texts',
  {},
  {
    goesWith: (personId) => sql`answer_id in (select id from answers where author_id = ${personId})
      or reply_id in (select id from replies where author_id = ${personId})`,
    expired: sql`made_at < now() - ${LIFETIME}`,
  },
)

/** Characters (UTF-16 units) that are kept. */
const MAX_LENGTH = 65_536

type LeftOut = { readonly text: string; readonly body: string; readonly version: number }

export async function keepLeftOut(
  write: Write,
  { table, id }: PostKey & { readonly table: 'answers' | 'replies' },
  text: string,
): Promise<void> {
  await write
    .insertInto('left_out_texts')
    .values({ [KINDS[table].column]: id, text: text.slice(0, MAX_LENGTH) })
    .execute()
}

/** What was left out of a post, for its author until they add it; null for everyone else. @param post alias of its table */
export function leftOutOf(post: 'a' | 'r', viewerId: number | null): RawBuilder<LeftOut | null> {
  const [id, body, version] = ['id', 'body', 'version'].map((column) => sql.ref(`${post}.${column}`))
  const column = sql.ref(`left_out.${post === 'a' ? 'answer_id' : 'reply_id'}`)
  return sql<LeftOut | null>`case when ${sql.ref(`${post}.author_id`)} = ${viewerId ?? 0} then (
    select json_build_object('text', left_out.text, 'body', ${body}, 'version', ${version})
    from left_out_texts as left_out where ${column} = ${id} and left_out.made_at > now() - ${LIFETIME}
      and strpos(${body}, left_out.text) = 0) end`
}
