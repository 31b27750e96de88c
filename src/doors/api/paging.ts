import { z } from 'zod'
import { type Cursor, readCursor, writeCursor } from '../../database/keyset.ts'
import { invalidParameter } from './problem.ts'

export const MAX_LIMIT = 100
const USUAL_LIMIT = 20

/** Parameters of each list. */
export const paging = {
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(USUAL_LIMIT),
  cursor: z.string().max(50).optional(),
}

/** The place after which a page begins; null: at the beginning. @throws ApiProblem 400 for what is no cursor of ours */
export function cursorIn(cursor: string | undefined, kind: 'time' | 'count'): Cursor | null {
  if (cursor === undefined) return null
  const read = readCursor(cursor, kind)
  if (read === null) throw invalidParameter('cursor')
  return read
}

/** The first `limit` of `limit` + 1 rows, and the cursor of the page after them; null: there is none. */
export function cut<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => Cursor,
): { readonly rows: readonly Row[]; readonly next: string | null } {
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  const next = rows.length > limit && last !== undefined ? writeCursor(cursorOf(last)) : null
  return { rows: kept, next }
}
