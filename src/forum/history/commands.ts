import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { editQuestion } from '../questions/commands.ts'
import type { Post } from '../questions/find.ts'
import { lockEvenDeleted } from '../questions/lock.ts'
import { POST_COLUMNS, type PostKey } from '../questions/post-key.ts'
import { type EditOutcome, editText } from '../questions/post-text.ts'
import { type Edit, findKeptText } from '../questions/post-versions.ts'

/** Others may edit at the same time: so often it is tried again. */
const MAX_TRIES = 3

type HistoricPost = Post & Pick<PostKey, 'table'>

/**
 * Makes an earlier version the text of a post again, as an edit that can be undone like any other.
 * @returns false when there is no such version, or it was redacted
 */
export async function restoreVersion(
  db: Database,
  post: HistoricPost,
  version: number,
  by: { readonly editorId: number; readonly reason: string },
): Promise<boolean> {
  const kept = await findKeptText(db, post, version)
  if (kept === null) return false
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const edit = { ...by, isRestoration: true as const, version: await presentVersion(db, post) }
    if ((await write(db, post, kept, edit)) === 'done') return true
  }
  return false
}

async function write(
  db: Database,
  post: HistoricPost,
  { title, body, tags }: { title: string | null; body: string; tags: readonly string[] | null },
  edit: Edit,
): Promise<EditOutcome> {
  if (post.table !== 'questions') return editText(db, post.table, post, { ...edit, body, isByStaff: true })
  const { category_id: categoryId, lecture_id: lectureId } = await db
    .selectFrom('questions')
    .select(['category_id', 'lecture_id'])
    .where('id', '=', post.id)
    .executeTakeFirstOrThrow()
  const content = { title: title ?? post.title, body, tags: tags ?? [], categoryId, lectureId }
  return editQuestion(db, post.id, content, edit)
}

async function presentVersion(db: Database, { table, id }: PostKey): Promise<number> {
  const { version } = await db
    .selectFrom(table)
    .select('version')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return version
}

/**
 * Removes the text of an earlier version for good; who wrote when stays. Pictures that nothing but this version showed go too.
 * @returns false when there is no such version, or it was redacted before
 */
export async function redactVersion(
  db: Database,
  post: HistoricPost,
  version: number,
  editorId: number,
): Promise<boolean> {
  const column = sql.ref(POST_COLUMNS[post.table])
  return db.transaction().execute(async (write) => {
    await lockEvenDeleted(write, post.questionId)
    const { numAffectedRows } = await sql`
      update post_versions
      set title = null, body = null, tags = null, reason = null, redacted_at = now(), redacted_by = ${editorId}
      where ${column} = ${post.id} and version = ${version} and redacted_at is null`.execute(write)
    await sql`
      delete from post_images using images
      where images.id = post_images.image_id and post_images.${column} = ${post.id} and not post_images.is_shown
        and not exists (
          select from post_versions as kept
          where kept.${column} = ${post.id} and position(images.name in kept.body) > 0)`.execute(write)
    return Number(numAffectedRows ?? 0) > 0
  })
}
