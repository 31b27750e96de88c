import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { questionIdOf, tagsOf, titleOf } from './columns.ts'
import { KINDS, type PostKey } from './kinds.ts'

export interface Edit {
  readonly actorId: number
  readonly version: number
  /** Why, in the editor's words. */
  readonly reason?: string | null
  /** It brings an earlier version back: the one that it replaces is kept in any case. */
  readonly isRestoration?: true
}

/** Minutes after writing a text during which its author mends it without a trace, while nobody has seen it. */
const MENDING_MINUTES = 5

/**
 * Keeps the text that an edit is about to replace, in the edit's transaction, after the question was locked. Nothing is kept where
 * the text stays the same, and of a text that its own writer mends before anybody has seen it.
 */
export async function keepVersion(write: Write, post: PostKey, next: NextText, edit: Edit): Promise<void> {
  const column = sql.ref(KINDS[post.table].column)
  const isQuestion = post.table === 'questions'
  const tags = tagsOf(post.table)
  const isSame = isQuestion
    ? sql`post.title = ${next.title ?? ''} and post.body = ${next.body} and ${tags} = ${next.tags ?? []}::text[]`
    : sql`post.body = ${next.body}`
  await sql`
    insert into post_versions (${column}, version, title, body, tags, written_by, written_at, reason)
    select post.id, post.version, ${titleOf(post.table)}, post.body,
      ${tags}, coalesce(post.edited_by, post.author_id),
      coalesce(post.edited_at, post.written_at), post.edit_reason
    from ${sql.table(post.table)} as post
    where post.id = ${post.id} and post.version = ${edit.version} and post.deleted_at is null and not (${isSame}) and not (
      ${edit.isRestoration !== true} and coalesce(post.edited_by, post.author_id) = ${edit.actorId}
      and coalesce(post.edited_at, post.written_at) > now() - ${MENDING_MINUTES} * interval '1 minute'
      and not exists (
        select from question_views as seen
        where seen.question_id = ${questionIdOf(post.table)} and seen.seen_at >= coalesce(post.edited_at, post.written_at)))`.execute(
    write,
  )
}

/** What an edit makes of a post; title and tags: of a question. */
export interface NextText {
  readonly title?: string
  readonly body: string
  readonly tags?: readonly string[]
}

export interface KeptText {
  readonly title: string | null
  readonly body: string
  readonly tags: readonly string[] | null
}

/** What a post said in a version that was kept and not redacted; null: there is none. */
export async function findKeptText(db: Database, post: PostKey, version: number): Promise<KeptText | null> {
  const row = await db
    .selectFrom('post_versions')
    .select(['title', 'body', 'tags'])
    .where(KINDS[post.table].column, '=', post.id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (row === undefined || row.body === null) return null
  return { ...row, body: row.body }
}
