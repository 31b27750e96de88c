import { type SqlBool, sql } from 'kysely'

/** A position in a list: the sort column's value and the id, which orders equal values. */
export interface Cursor {
  readonly value: number
  readonly id: number
}

/** The page after a cursor, the one before it, or the first. */
export interface PageRequest {
  readonly after: Cursor | null
  readonly before: Cursor | null
}

export const FIRST_PAGE: PageRequest = { after: null, before: null }

/** A page's rows in the order of the list, and the written cursors of the pages before and after it; null at an end. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly newer: string | null
  readonly older: string | null
}

const PATTERN = /^(-?[0-9a-z]{1,11})\.([0-9a-z]{1,11})$/
const MAX_INTEGER = 2 ** 31 - 1
/** The year 2200 in milliseconds: an upper limit of times of posts. */
const MAX_TIME_MS = 7_258_118_400_000

/** Short and URL-safe: `value.id`, both in base 36. */
export function writeCursor(cursor: Cursor): string {
  return `${cursor.value.toString(36)}.${cursor.id.toString(36)}`
}

/** @returns null for an invalid cursor, which gives the first page */
export function readCursor(text: string | null, kind: 'time' | 'count'): Cursor | null {
  const match = PATTERN.exec(text ?? '')
  if (match === null) return null
  const value = Number.parseInt(match[1] ?? '', 36)
  const id = Number.parseInt(match[2] ?? '', 36)
  const isPossible = kind === 'time' ? value >= 0 && value <= MAX_TIME_MS : Math.abs(value) <= MAX_INTEGER
  return isPossible && id > 0 && id <= Number.MAX_SAFE_INTEGER ? { value, id } : null
}

/**
 * One page of a list that is sorted by a column, then by id, the greatest first: the condition for its rows,
 * strictly beyond the cursor as one row comparison, which an index on both can answer, and their order, for
 * pageOf.
 * @param column null: it is sorted by id alone
 * @param first 'smallest': the list begins with them
 */
export function pageAlong(
  column: string | null,
  id: string,
  kind: 'time' | 'count',
  request: PageRequest,
  first: 'greatest' | 'smallest' = 'greatest',
) {
  const cursor = request.after ?? request.before
  const isBackwards = request.before !== null && request.after === null
  const isDescending = (first === 'greatest') !== isBackwards
  const columns = [...(column === null ? [] : [sql.ref(column)]), sql.ref(id)]
  const direction = sql.raw(isDescending ? 'desc' : 'asc')
  const order = sql.join(columns.map((one) => sql`${one} ${direction}`))
  if (cursor === null) return { beyond: sql<SqlBool>`true`, order }
  const value = kind === 'time' ? sql`${new Date(cursor.value)}::timestamptz` : sql`${cursor.value}::integer`
  const comparison = sql.raw(isDescending ? '<' : '>')
  const values = [...(column === null ? [] : [value]), sql`${cursor.id}::bigint`]
  const beyond = sql<SqlBool>`(${sql.join(columns)}) ${comparison} (${sql.join(values)})`
  return { beyond, order }
}

/**
 * Makes a page from the `size` + 1 rows of a query; rows before a cursor are in ascending order and are reversed.
 * @param sortValue what the list is sorted by before the id, of a row; without it: nothing
 */
export function pageOf<Row extends { readonly id: number }>(
  rows: readonly Row[],
  size: number,
  request: PageRequest,
  sortValue: (row: Row) => Date | number = () => 0,
): Page<Row> {
  const hasMore = rows.length > size
  const isBackwards = request.before !== null && request.after === null
  const kept = isBackwards ? rows.slice(0, size).reverse() : rows.slice(0, size)
  const cursorAt = (row: Row | undefined) =>
    row === undefined ? null : writeCursor({ value: Number(sortValue(row)), id: row.id })
  return {
    rows: kept,
    newer: (isBackwards ? hasMore : request.after !== null) ? cursorAt(kept[0]) : null,
    older: isBackwards || hasMore ? cursorAt(kept.at(-1)) : null,
  }
}
