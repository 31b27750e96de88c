import { z } from 'zod'
import { type Cursor, type PageRequest, readCursor, writeCursor } from '../../database/keyset.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { InvalidParameter } from './endpoint.ts'

export const MAX_LIMIT = 100
const USUAL_LIMIT = 20
/** Bytes of the texts of a page: one that has more ends early, and holds one item at least. */
const MAX_BYTES = 1_000_000

export const paging = {
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(USUAL_LIMIT),
  cursor: z.string().max(50).optional(),
}

/**
 * The place after which a page begins; null: at the beginning.
 * @throws InvalidParameter for what is no cursor of ours
 */
export function cursorIn(cursor: string | undefined, kind: 'time' | 'count'): Cursor | null {
  if (cursor === undefined) return null
  const read = readCursor(cursor, kind)
  if (read === null) throw new InvalidParameter('cursor')
  return read
}

/** The page that is asked for. */
export function pageIn(cursor: string | undefined, kind: 'time' | 'count'): PageRequest {
  return { after: cursorIn(cursor, kind), before: null }
}

/**
 * The first `limit` of `limit` + 1 rows, fewer where their texts are long, and the cursor of the page after
 * them; null: there is none.
 * @param textsOf what of a row can be long
 */
export function cut<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => Cursor,
  textsOf: (row: Row) => readonly string[] = () => [],
): { readonly rows: readonly Row[]; readonly next: string | null } {
  const kept = withinBytes(rows.slice(0, limit), textsOf)
  const last = kept.at(-1)
  const next = rows.length > kept.length && last !== undefined ? writeCursor(cursorOf(last)) : null
  return { rows: kept, next }
}

export function withinBytes<Row>(
  rows: readonly Row[],
  textsOf: (row: Row) => readonly string[],
): readonly Row[] {
  let bytes = 0
  const beyond = rows.findIndex((row) => {
    for (const text of textsOf(row)) bytes += Buffer.byteLength(text)
    return bytes > MAX_BYTES
  })
  return beyond === -1 ? rows : rows.slice(0, Math.max(1, beyond))
}

/** What is long of a post. */
export const textsOfPost = ({ body, body_html }: { readonly body: string; readonly body_html: string }) => [
  body,
  body_html,
]

interface Texts<Row> {
  sourceOf(row: Row): string
  /** null: the source has to be rendered. */
  htmlOf?(row: Row): string | null
  cursorOf(row: Row): Cursor
}

/**
 * A page of rows with their Markdown and the HTML of that. Only what the page can hold is rendered.
 * @param hasMore beyond these rows
 */
export async function pageOfTexts<Row>(
  rows: readonly Row[],
  hasMore: boolean,
  { sourceOf, htmlOf = () => null, cursorOf }: Texts<Row>,
) {
  const held = withinBytes(rows, (row) => [sourceOf(row), htmlOf(row) ?? ''])
  const texts = await prepareMarkdown(held.map((row) => (htmlOf(row) === null ? sourceOf(row) : '')))
  const rendered = held.map((row, index) => ({
    ...row,
    body: sourceOf(row),
    body_html: htmlOf(row) ?? texts[index]?.html ?? '',
  }))
  const shown = withinBytes(rendered, textsOfPost)
  const last = shown.at(-1)
  const isAll = shown.length === rows.length && !hasMore
  return { rows: shown, next: isAll || last === undefined ? null : writeCursor(cursorOf(last)) }
}
