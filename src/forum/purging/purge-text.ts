import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { POST_COLUMNS, type PostKey } from '../posts/kinds.ts'
import { lockEvenDeleted } from '../posts/lock.ts'
import { forgetWords, type LostText } from './forget-words.ts'

/** What stands in the columns of a purged post: db/schema/tables/04_posts.sql. */
const PURGED = { title: '---', body: '-' } as const

/**
 * Removes the text of a deleted post for good: the present one, the earlier ones, drafts of its edits, its tags, whom it mentions,
 * and that it shows pictures, which the sweep then takes. Its place stays, so that what others wrote below it has one; nobody can
 * restore it. One that is not deleted, or purged already, stays as it is.
 */
export async function purgeText(
  write: Write,
  post: PostKey & { readonly questionId: number },
): Promise<void> {
  const { table, id, questionId } = post
  await lockEvenDeleted(write, questionId)
  const isQuestion = table === 'questions'
  const title = isQuestion ? sql`title` : sql`''`
  const tags = isQuestion
    ? sql`array(select name from question_tags join tags on tags.id = tag_id where question_id = ${id})`
    : sql`'{}'::text[]`
  const { rows } = await sql<LostText>`
    select ${title} as title, ${tags} as tags, body_html as html from ${sql.table(table)}
    where id = ${id} and deleted_at is not null and purged_at is null for update`.execute(write)
  const [text] = rows
  if (text === undefined) return
  await sql`
    update ${sql.table(table)} set ${isQuestion ? sql`title = ${PURGED.title},` : sql``} body = ${PURGED.body},
      body_html = '', edit_reason = null, calls_staff = false, purged_at = now()
    where id = ${id}`.execute(write)
  const column = sql.ref(POST_COLUMNS[table])
  for (const kept of ['post_versions', 'post_images', 'mentions'])
    await sql`delete from ${sql.table(kept)} where ${column} = ${id}`.execute(write)
  if (table !== 'questions') await sql`delete from left_out_texts where ${column} = ${id}`.execute(write)
  await write.deleteFrom('drafts').where('place', '=', `/${table}/${id}/edit`).execute()
  if (isQuestion)
    for (const ofQuestion of ['question_tags', 'asked_instead', 'search_openings', 'near_questions'] as const)
      await write.deleteFrom(ofQuestion).where('question_id', '=', id).execute()
  await forgetWords(write, text)
}
