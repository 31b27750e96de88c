import { createHash } from 'node:crypto'
import pg from 'pg'

/** Statements that one connection prepares at the most: their plans are kept by the server for as long as it lasts. */
const MOST = 300
/** Sent so often, a statement is one of a page rather than one of a kind. */
const OFTEN = 3
const REMEMBERED = 2000

const ORDINARY = /^\s*(?:select|insert|update|delete|with)\b/i
/** What matches many rows or few depending on the words asked for needs a plan for these words. */
const NEEDS_OWN_PLAN = /@@|\blike\b|similarity|tablesample/i

/**
 * Has the server parse and plan each statement that comes again and again once a connection rather than each time: for a
 * page's queries that takes longer than running them.
 */
export function prepareRepeated(client: pg.PoolClient): void {
  const query: (...given: unknown[]) => unknown = (...given) =>
    Reflect.apply(pg.Client.prototype.query, client, given)
  const counts = new Map<string, number>()
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MOST || !ORDINARY.test(text) || NEEDS_OWN_PLAN.test(text))
      return known
    const count = (counts.get(text) ?? 0) + 1
    if (counts.size >= REMEMBERED) counts.clear()
    counts.set(text, count)
    if (count < OFTEN) return undefined
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 32)
    names.set(text, name)
    return name
  }
  client.query = ((...given: unknown[]) => {
    const [text, values, ...rest] = given
    const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : undefined
    return name === undefined ? query(...given) : query({ name, text, values }, ...rest)
  }) as typeof client.query
}
