import { createHash } from 'node:crypto'
import pg from 'pg'

/** Which statements of a connection are prepared. */
export interface Preparing {
  /** A statement is prepared when it is sent this often; 1: at once. */
  readonly minUses: number
  /** Maximum number of prepared statements: the server keeps their plans for the connection's lifetime. */
  readonly maxStatements: number
}

const ORDINARY_PREPARING: Preparing = { minUses: 3, maxStatements: 300 }
const MAX_COUNTED = 2000

const ORDINARY = /^[\s(]*(?:select|insert|update|delete|with)\b/i
/** The server prepares no more than one statement at once. */
const SEVERAL = /;/
/** Statements whose selectivity depends on the search words need a custom plan each time. */
const NEEDS_OWN_PLAN = /\bi?like\b|similarity|tablesample/i

/**
 * Has the server parse and plan each recurring statement once per connection instead of once per query: for a page's
 * queries planning takes longer than execution.
 */
export function prepareRepeated(
  client: pg.PoolClient,
  { minUses, maxStatements }: Preparing = ORDINARY_PREPARING,
): void {
  const query: (...given: unknown[]) => unknown = (...given) =>
    Reflect.apply(pg.Client.prototype.query, client, given)
  const counts = new Map<string, number>()
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (
      known !== undefined ||
      names.size >= maxStatements ||
      !ORDINARY.test(text) ||
      NEEDS_OWN_PLAN.test(text) ||
      SEVERAL.test(text)
    )
      return known
    const count = (counts.get(text) ?? 0) + 1
    if (counts.size >= MAX_COUNTED) counts.clear()
    counts.set(text, count)
    if (count < minUses) return undefined
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
