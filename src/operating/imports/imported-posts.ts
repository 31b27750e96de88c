import type { Schema, Write } from '../../database/schema.ts'
import { insertRows } from './bulk.ts'

type PostKind = Schema['imported_posts']['kind']

const COLUMNS = { question: 'question_id', answer: 'answer_id', reply: 'reply_id' } as const

/** The rows of the dump that this course has already: source id → post id; null: the post was removed here for good. */
export async function findImported(
  write: Write,
  courseId: number,
  kind: PostKind,
  sourceIds: readonly number[],
): Promise<Map<number, number | null>> {
  if (sourceIds.length === 0) return new Map()
  const rows = await write
    .selectFrom('imported_posts')
    .select(['source_id', `${COLUMNS[kind]} as post_id`])
    .where('course_id', '=', courseId)
    .where('kind', '=', kind)
    .where('source_id', 'in', [...new Set(sourceIds)])
    .execute()
  return new Map(rows.map((row) => [row.source_id, row.post_id]))
}

/** Records which row of the dump became which post. */
export function rememberImported(
  write: Write,
  courseId: number,
  kind: PostKind,
  posts: readonly { readonly sourceId: number; readonly id: number }[],
): Promise<void> {
  const rows = posts.map(({ sourceId, id }) => ({
    course_id: courseId,
    kind,
    source_id: sourceId,
    [COLUMNS[kind]]: id,
  }))
  return insertRows(write, 'imported_posts', rows)
}
