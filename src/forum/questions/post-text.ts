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

/** A new text of an answer or a reply. */
export interface TextEdit {
  readonly body: string
  /** The one the editor began with. */
  readonly version: number
  /** Staff answer for what they write: an endorsed answer stays so. What others change has to be read again. */
  readonly isByStaff: boolean
}

/** Changes the text of an answer or a reply, and what its question is found by. */
export async function editText(
  db: Database,
  table: 'answers' | 'replies',
  post: { readonly id: number; readonly questionId: number },
  { body, version, isByStaff }: TextEdit,
): Promise<EditOutcome> {
  return db.transaction().execute(async (write) => {
    await lockEvenDeleted(write, post.questionId)
    const changed = await write
      .updateTable(table)
      .set({ ...renderedBody(body), edited_at: sql`now()`, version: sql`version + 1` })
      .$if(table === 'answers' && !isByStaff, (update) =>
        update.set({ endorsed_by: null, endorsed_at: null }),
      )
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
