import type { Database, Write } from '../../database/schema.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { KINDS, type PostKey } from './kinds.ts'
import { renderedBody } from './text.ts'

/** Has rendered what a change will make of a post: before its transaction, which finds it rendered unless the text changes meanwhile. */
export async function prepareRewriting(
  db: Database,
  { table, id }: PostKey,
  change: (source: string) => string,
): Promise<void> {
  const post = await db
    .selectFrom(table as 'answers')
    .select('body')
    .where('id', '=', id)
    .executeTakeFirst()
  if (post !== undefined) await prepareMarkdown([change(post.body)])
}

/**
 * Changes a post's text and its earlier ones, of a locked question. It is no edit: no history notes it, nobody is told, and the caller
 * indexes the question again.
 */
export async function rewriteText(
  write: Write,
  { table, id }: PostKey,
  change: (source: string) => string,
): Promise<void> {
  const { body } = await write
    .selectFrom(table as 'answers')
    .select('body')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const changed = change(body)
  if (changed !== body) {
    const [rendered] = await prepareMarkdown([changed])
    await write
      .updateTable(table as 'answers')
      .set(renderedBody(rendered))
      .where('id', '=', id)
      .execute()
  }
  const column = KINDS[table].column
  const versions = await write
    .selectFrom('post_versions')
    .select(['version', 'body'])
    .where(column, '=', id)
    .where('body', 'is not', null)
    .execute()
  for (const { version, body: earlier } of versions)
    await write
      .updateTable('post_versions')
      .set({ body: change(earlier ?? '') })
      .where(column, '=', id)
      .where('version', '=', version)
      .execute()
}
