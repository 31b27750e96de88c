import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { joinReader } from '../../rights/readable-question.ts'
import { mentionedIn } from '../../text/mentions.ts'
import { isMentionable } from '../mentions/mentionable.ts'
import { POST_COLUMNS, type PostKey } from './post-key.ts'

/**
 * Notes whom a post mentions, in the transaction that writes it, after its author has joined the course. Others than those who may
 * be mentioned are left out: their names stay text. Whom an earlier text mentioned stays noted.
 * @param html of the post
 * @returns those whom no earlier text of the post mentioned, in the order of their ids
 */
export async function noteMentions(
  write: Write,
  post: PostKey & { readonly questionId: number },
  html: string,
  writerId: number,
): Promise<number[]> {
  const ids = mentionedIn(html)
  if (ids.length === 0) return []
  const { rows } = await sql<{ person_id: number }>`
    insert into mentions (person_id, ${sql.ref(POST_COLUMNS[post.table])}, mentioned_by)
    select person.id, ${post.id}, ${writerId}
    from people as person join questions as q on q.id = ${post.questionId} ${joinReader}
    where person.id = any(${ids}) and ${isMentionable}
    order by person.id
    on conflict on constraint mentions_key do nothing
    returning person_id`.execute(write)
  return rows.map((row) => row.person_id)
}
