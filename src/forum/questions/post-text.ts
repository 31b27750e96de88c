import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { RENDERER_VERSION, renderMarkdown } from '../../text/markdown.ts'
import { indexQuestions } from '../search/index-question.ts'
import { lockEvenDeleted } from './lock.ts'

/** The columns that keep a text and what our renderer makes of it. Half of a surrogate pair, which is no text, is replaced. */
export function renderedBody(given: string) {
  const body = given.toWellFormed()
  return { body, body_html: renderMarkdown(body), renderer_version: RENDERER_VERSION }
}

/** Whether an edit was made, or found that somebody else's came first. */
export type EditOutcome = 'done' | 'conflict'

/**
 * Changes the text of an answer or a reply, and what its question is found by.
 * @param version the one the editor began with
 */
export async function editText(
  db: Database,
  table: 'answers' | 'replies',
  post: { readonly id: number; readonly questionId: number },
  body: string,
  version: number,
): Promise<EditOutcome> {
  return db.transaction().execute(async (write) => {
    await lockEvenDeleted(write, post.questionId)
    const changed = await write
      .updateTable(table)
      .set({ ...renderedBody(body), edited_at: sql`now()`, version: sql`version + 1` })
      .where('id', '=', post.id)
      .where('deleted_at', 'is', null)
      .where('version', '=', version)
      .returning('id')
      .executeTakeFirst()
    if (changed === undefined) return 'conflict'
    await indexQuestions(write, [post.questionId])
    return 'done'
  })
}
