import { createHash } from 'node:crypto'
import pg from 'pg'

/** Maximum number of prepared statements per connection: the server keeps their plans for the connection's lifetime. */
const MAX_STATEMENTS = 300
/** A statement is prepared once it was sent this often. */
const MIN_USES = 3
const MAX_COUNTED = 2000

const ORDINARY = /^[\s(]*(?:select|insert|update|delete|with)\b/i
/** Statements whose selectivity depends on the search words need a custom plan each time. */
const NEEDS_OWN_PLAN = /\bi?like\b|similarity|tablesample/i

/**
 * Has the server parse and plan each recurring statement once per connection instead of once per query: for a page's
 * queries planning takes longer than execution.
 */
export function prepareRepeated(client: pg.PoolClient): void {
  const query: (...given: unknown[]) => unknown = (...given) =>
    Reflect.apply(pg.Client.prototype.query, client, given)
  const counts = new Map<string, number>()
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (
      known !== undefined ||
      names.size >= MAX_STATEMENTS ||
      !ORDINARY.test(text) ||
      NEEDS_OWN_PLAN.test(text)
    )
      return known
    const count = (counts.get(text) ?? 0) + 1
    if (counts.size >= MAX_COUNTED) counts.clear()
    counts.set(text, count)
    if (count < MIN_USES) return undefined
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
