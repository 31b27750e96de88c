import { type Page, type PageRequest, readCursor } from '../database/keyset.ts'
import { type Address, queryParam } from './params.ts'
import { pathWith } from './paths.ts'

/** Where the pages before and after this one are; null at an end. For components/_pager.eta. */
export interface PageLinks {
  readonly newerPath: string | null
  readonly olderPath: string | null
}

/** Which page of a list the query string asks for: its `after` or `before`. @param kind what the cursors' values are */
export function pageRequest(address: Pick<Address, 'query'>, kind: 'time' | 'count'): PageRequest {
  return pageAt({ after: queryParam(address, 'after'), before: queryParam(address, 'before') }, kind)
}

/** Cursors as an address, or a field that repeats it, has them. */
export interface WrittenCursors {
  readonly after: string | null
  readonly before: string | null
}

/** The page that these cursors ask for: the first one where neither is a cursor. */
export function pageAt(cursors: WrittenCursors, kind: 'time' | 'count'): PageRequest {
  const after = readCursor(cursors.after, kind)
  const before = readCursor(cursors.before, kind)
  return { after, before: after === null ? before : null }
}

/**
 * The links around a page of a list.
 * @param path of the list, without a query
 * @param parameters that stay from page to page
 */
export function pageLinks(
  { newer, older }: Page<unknown>,
  path: string,
  parameters: Readonly<Record<string, string | number | null>> = {},
): PageLinks {
  return {
    newerPath: newer && pathWith(path, { ...parameters, before: newer }),
    olderPath: older && pathWith(path, { ...parameters, after: older }),
  }
}
