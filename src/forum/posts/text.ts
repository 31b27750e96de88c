import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { RENDERER_VERSION, type RenderedText } from '../../text/markdown.ts'
import { callsStaff } from '../../text/mentions.ts'
import { endDraft } from '../drafts/draft.ts'
import { indexQuestions } from '../search/index-question.ts'
import { lockEvenDeleted } from './lock.ts'
import { changeMentions } from './mentions.ts'
import { notePictures } from './pictures.ts'
import { type Edit, keepVersion } from './versions.ts'

/** The columns that keep a text and what our renderer makes of it. */
export function renderedBody({ source: body, html }: RenderedText) {
  return { body, body_html: html, renderer_version: RENDERER_VERSION, calls_staff: callsStaff(html) }
}

/** The columns that say whose the present text is. */
export function editedBy({ actorId, reason = null }: Edit) {
  return { edited_at: sql<Date>`now()`, edited_by: actorId, edit_reason: reason }
}

export type EditOutcome = 'done' | 'conflict'

export interface TextEdit extends Edit {
  readonly body: RenderedText
  /** undefined: the author's name is as hidden as before. */
  readonly isAnonymous?: boolean
  /** Staff answer for what they write: an endorsed answer stays so. What others change has to be read again. */
  readonly isByStaff: boolean
}

/** Changes the text of an answer or a reply, and what its question is found by. */
export async function editText(
  write: Write,
  table: 'answers' | 'replies',
  post: { readonly id: number; readonly questionId: number },
  edit: TextEdit,
): Promise<EditOutcome> {
  await lockEvenDeleted(write, post.questionId)
  const rendered = renderedBody(edit.body)
  await keepVersion(write, { table, id: post.id }, rendered, edit)
  const changed = await write
    .updateTable(table)
    .set({ ...rendered, ...editedBy(edit), version: sql`version + 1` })
    .$if(edit.isAnonymous !== undefined, (update) => update.set({ is_anonymous: edit.isAnonymous }))
    .$if(table === 'answers' && !edit.isByStaff, (update) =>
      update.set({ endorsed_by: null, endorsed_at: null }),
    )
    .where('id', '=', post.id)
    .where('deleted_at', 'is', null)
    .where('version', '=', edit.version)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) return 'conflict'
  await notePictures(write, { table, id: post.id }, rendered.body_html, edit.actorId)
  await changeMentions(write, { table, ...post }, rendered.body_html, edit.actorId)
  await indexQuestions(write, [post.questionId])
  if (!edit.isRestoration) await endDraft(write, edit.actorId, `/${table}/${post.id}/edit`, rendered)
  return 'done'
}
