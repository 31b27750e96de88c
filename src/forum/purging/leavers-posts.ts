import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { Problem } from '../../operations/problem.ts'
import { deleteAnswer } from '../answers/commands.ts'
import type { PostKey } from '../posts/kinds.ts'
import { deleteQuestion } from '../questions/commands.ts'
import { deleteReply } from '../replies/commands.ts'
import { purgeText } from './purge-text.ts'

interface OwnPost extends PostKey {
  readonly questionId: number
  readonly isDeleted: boolean
}

/** Posts that are read at once. */
const BATCH = 500

/**
 * Removes all that a person wrote for good, each post in steps of its own: begun again it goes on where it broke off. What they
 * wrote into others' posts is part of these; only the reasons they gave for it go.
 * @param signal ends it between two posts, with an error
 */
export async function purgePostsOf(db: Database, personId: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const posts = await someOf(db, personId)
    for (const post of posts) {
      signal.throwIfAborted()
      if (!post.isDeleted) await unlessGone(hide(db, post, personId))
      await db.transaction().execute((write) => purgeText(write, post))
    }
    if (posts.length < BATCH) break
  }
  await db.deleteFrom('announcements').where('author_id', '=', personId).execute()
  await forgetReasons(db, personId)
}

/** Replies and answers go first: under a question that is gone they would count as gone with it. */
async function someOf(db: Database, personId: number): Promise<OwnPost[]> {
  const { rows } = await sql<OwnPost>`
    select "table", id, "questionId", "isDeleted" from (
      select 1 as turn, 'replies' as "table", id, question_id as "questionId", deleted_at is not null as "isDeleted"
      from replies where author_id = ${personId} and purged_at is null
      union all select 2, 'answers', id, question_id, deleted_at is not null
      from answers where author_id = ${personId} and purged_at is null
      union all select 3, 'questions', id, id, deleted_at is not null
      from questions where author_id = ${personId} and purged_at is null
    ) as post order by turn, id limit ${BATCH}`.execute(db)
  return rows
}

function hide(db: Database, { table, id, questionId }: OwnPost, personId: number): Promise<void> {
  return db.transaction().execute(async (write) => {
    if (table === 'questions') return deleteQuestion(write, id, personId)
    return (table === 'answers' ? deleteAnswer : deleteReply)(write, questionId, id, personId)
  })
}

/** The staff may have deleted it in the meantime. */
async function unlessGone(deletion: Promise<void>): Promise<void> {
  try {
    await deletion
  } catch (error) {
    if (!(error instanceof Problem) || error.key !== 'gone') throw error
  }
}

async function forgetReasons(db: Database, personId: number): Promise<void> {
  for (const table of ['questions', 'answers', 'replies'])
    await sql`
      update ${sql.table(table)} set edit_reason = null where edited_by = ${personId} and edit_reason is not null`.execute(
      db,
    )
  await sql`update post_versions set reason = null where written_by = ${personId} and reason is not null`.execute(
    db,
  )
}
