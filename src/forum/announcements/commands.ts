import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import type { RenderedText } from '../../text/markdown.ts'
import { notePictures } from '../posts/pictures.ts'
import { tellOfAnnouncement } from '../telling/tell-announcement.ts'
import { termsOfNews } from './terms.ts'

export interface NewAnnouncement {
  readonly courseId: number
  readonly authorId: number
  readonly title: string
  readonly body: RenderedText
  /** The announcement of the same course that it corrects. */
  readonly correctsId: number | null
}

/** Tells a course something. @returns the id; null: there is no such announcement to correct */
export async function announce(write: Write, announcement: NewAnnouncement): Promise<number | null> {
  const { courseId, authorId, title, body, correctsId } = announcement
  if (correctsId !== null && !(await isThere(write, courseId, correctsId))) return null
  const { id } = await write
    .insertInto('announcements')
    .values({
      course_id: courseId,
      author_id: authorId,
      title,
      body: body.source,
      corrects_id: correctsId,
      terms: await termsOfNews({ title, body: body.source }),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await notePictures(write, { table: 'announcements', id }, body.html, authorId)
  await tellOfAnnouncement(write, id, authorId)
  return id
}

/** A new text of an announcement. */
export interface NewsEdit {
  readonly title: string
  readonly body: RenderedText
  readonly actorId: number
  /** The one that the form began with. */
  readonly version: number
}

/** Changes the text, unless it was changed since `version`. It is told to nobody again. */
export async function editAnnouncement(
  write: Write,
  id: number,
  { title, body, actorId, version }: NewsEdit,
): Promise<'done' | 'conflict'> {
  const edited = await write
    .updateTable('announcements')
    .set({
      title,
      body: body.source,
      terms: await termsOfNews({ title, body: body.source }),
      version: sql`version + 1`,
      edited_at: sql`now()`,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (edited.numUpdatedRows !== 1n) return 'conflict'
  await notePictures(write, { table: 'announcements', id }, body.html, actorId)
  return 'done'
}

async function isThere(write: Write, courseId: number, id: number): Promise<boolean> {
  const found = await write
    .selectFrom('announcements')
    .select('id')
    .where('course_id', '=', courseId)
    .where('id', '=', id)
    .executeTakeFirst()
  return found !== undefined
}
