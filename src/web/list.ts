import { type Page, type PageRequest, readCursor } from '../database/keyset.ts'
import { type Address, choiceParam, queryParam } from './params.ts'
import { pathWith } from './paths.ts'

/** Where the pages before and after this one are; null at an end. For components/_pager.eta. */
export interface PageLinks {
  readonly newerPath: string | null
  readonly olderPath: string | null
}

/**
 * A page of a list, and the links around it.
 * @param address whose query has the cursors
 * @param path of the list with what stays from page to page
 * @param kind what the cursors' values are
 */
export async function listPage<Row>(
  address: Pick<Address, 'query'>,
  path: string,
  kind: 'time' | 'count',
  read: (asked: PageRequest) => Promise<Page<Row>>,
) {
  const page = await read(pageRequest(address, kind))
  return { rows: page.rows, links: pageLinks(page, path) }
}

/** Which page of a list the query string asks for: the first one where neither `after` nor `before` is a cursor. */
export function pageRequest(address: Pick<Address, 'query'>, kind: 'time' | 'count'): PageRequest {
  const after = readCursor(queryParam(address, 'after'), kind)
  return { after, before: after === null ? readCursor(queryParam(address, 'before'), kind) : null }
}

/** The links around a page of a list. @param path of the list with what stays from page to page */
export function pageLinks({ newer, older }: Page<unknown>, path: string): PageLinks {
  const begun = path.includes('?') ? `${path}&` : `${path}?`
  return {
    newerPath: newer && `${begun}before=${newer}`,
    olderPath: older && `${begun}after=${older}`,
  }
}

/**
 * The tabs of a list, and the one that the address chooses: `parameter` names it, but for the first.
 * @param path of the list, without a query
 * @param kept parameters that stay from tab to tab
 * @returns `path`: of the list in the chosen tab; `titled`: a title that begins with its name
 */
export function tabsAt<Name extends string>(
  address: Pick<Address, 'query'>,
  path: string,
  parameter: string,
  names: readonly [Name, ...Name[]],
  textOf: (name: Name) => string,
  kept: Readonly<Record<string, string | number | null>> = {},
) {
  const [first] = names
  const chosen = choiceParam(address, parameter, names, first)
  const pathOf = (name: Name) => pathWith(path, { [parameter]: name === first ? null : name, ...kept })
  return {
    chosen,
    path: pathOf(chosen),
    tabs: names.map((name) => ({ name, text: textOf(name), path: pathOf(name), isCurrent: name === chosen })),
    titled: (title: string) => (chosen === first ? title : `${textOf(chosen)} · ${title}`),
  }
}
