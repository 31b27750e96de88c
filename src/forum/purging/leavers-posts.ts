import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { plainText } from '../../text/plain.ts'
import { KINDS, ofEveryKind, POST_TABLES, type PostKey, questionIdOf } from '../posts/kinds.ts'
import { lockEvenDeleted } from '../posts/lock.ts'
import { deletePost } from '../posts/removal.ts'
import { documentVector } from '../search/document.ts'

const BATCH = 500

/**
 * Removes all that a person wrote for good, each post in steps of its own: begun again it goes on where it
 * broke off. What they wrote into others' posts is part of these; only the reasons they gave for it go.
 * @param signal ends it between two posts, with an error
 * @param which 'held': only the posts that wait to be let through, of those that they wrote here
 */
export async function purgePostsOf(
  db: Database,
  personId: number,
  signal: AbortSignal,
  which: 'all' | 'held' = 'all',
): Promise<void> {
  for (;;) {
    const posts = await someOf(db, personId, which)
    for (const post of posts) {
      signal.throwIfAborted()
      if (!post.isDeleted) await db.transaction().execute((write) => deletePost(write, post, personId))
      await db.transaction().execute((write) => purgeText(write, post))
    }
    if (posts.length < BATCH) break
  }
  if (which === 'held') return
  await db.deleteFrom('announcements').where('author_id', '=', personId).execute()
  await forgetReasons(db, personId)
}

/** What an import holds back waits for reasons of its source. */
const isTheirs = sql`coalesce(post.held_for not in ('source', 'import'), true)`

/** Replies and answers go first: under a question that is gone they would count as gone with it. */
async function someOf(db: Database, personId: number, which: 'all' | 'held') {
  const { rows } = await sql<PostKey & { questionId: number; isDeleted: boolean }>`
    select "table", id, "questionId", "isDeleted" from (${ofEveryKind(
      (table) => sql`
      select ${sql.lit(table)} as "table", post.id, ${questionIdOf(table)} as "questionId", post.deleted_at is not null as "isDeleted"
      from ${sql.table(table)} as post where author_id = ${personId} and purged_at is null
        and (post.held_at is not null and ${isTheirs} or ${which === 'all'})`,
    )}) as post
    order by array_position(array['replies', 'answers', 'questions'], "table"), id limit ${BATCH}`.execute(db)
  return rows
}

async function forgetReasons(db: Database, personId: number): Promise<void> {
  for (const table of POST_TABLES)
    await sql`
      update ${sql.table(table)} set edit_reason = null where edited_by = ${personId} and edit_reason is not null`.execute(
      db,
    )
  await sql`update post_versions set reason = null where written_by = ${personId} and reason is not null`.execute(
    db,
  )
}

/** What stands in the columns of a purged post: db/schema/tables/04_posts.sql. */
const PURGED = { title: '---', body: '-' } as const

/**
 * Removes the text of a deleted post for good: the present one, the earlier ones, drafts of its edits, its tags, whom it mentions,
 * and that it shows pictures, which the sweep then takes. Its place stays, so that what others wrote below it has one; nobody can
 * restore it. One that is not deleted, or purged already, stays as it is.
 */
async function purgeText(write: Write, post: PostKey & { readonly questionId: number }): Promise<void> {
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
  const column = sql.ref(KINDS[table].column)
  for (const kept of ['post_versions', 'post_images', 'mentions'])
    await sql`delete from ${sql.table(kept)} where ${column} = ${id}`.execute(write)
  if (table !== 'questions') await sql`delete from left_out_texts where ${column} = ${id}`.execute(write)
  await write.deleteFrom('drafts').where('place', '=', `/${table}/${id}/edit`).execute()
  if (isQuestion)
    for (const ofQuestion of ['question_tags', 'asked_instead', 'search_openings', 'near_questions'] as const)
      await write.deleteFrom(ofQuestion).where('question_id', '=', id).execute()
  await forgetWords(write, text)
}

/** A word of so many threads says nothing of one of them, and its row would be locked often. */
const COMMON = 100

interface LostText {
  readonly title: string
  readonly tags: readonly string[]
  readonly html: string
}

/**
 * Counts the rare words of a text no more: suggestions and statistics of the search would keep them until
 * they are counted again.
 * @param text its title is '' and it has no tags where it is an answer or a reply
 */
async function forgetWords(write: Write, { title, tags, html }: LostText): Promise<void> {
  const terms = documentVector({ title, tags, acceptedAnswer: null, others: [plainText(html)] })
  const words = [...tags, ...tags.flatMap((tag) => tag.split('-'))]
  const ofText = sql`any(tsvector_to_array(${terms}::tsvector))`
  const ofTitle = sql`any(regexp_split_to_array(lower(${title}::text), '[^[:alnum:]+#@-]+') || ${words}::text[])`
  // In the order of their keys: two departures at once take the rows one after the other.
  await sql`
    with known as (
      select term from search_terms where term = ${ofText} and term <> '' and documents_count between 1 and ${COMMON}
      order by term for update)
    update search_terms as counted set documents_count = counted.documents_count - 1
    from known where counted.term = known.term`.execute(write)
  await sql`delete from search_terms where term = ${ofText} and term <> '' and documents_count = 0`.execute(
    write,
  )
  await sql`
    with known as (
      select word from search_words where word = ${ofTitle} and questions_count between 1 and ${COMMON}
      order by word for update)
    update search_words as counted set questions_count = counted.questions_count - 1
    from known where counted.word = known.word`.execute(write)
  await sql`delete from search_words where word = ${ofTitle} and questions_count = 0`.execute(write)
}
