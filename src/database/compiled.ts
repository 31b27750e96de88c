import { type Compilable, CompiledQuery, type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from './schema.ts'

const MAX_STATEMENTS = 500

/**
 * Statements that are built and compiled once: for a large one that takes longer than sending it and reading
 * its rows. They are kept as text, without the tree they were built of.
 */
export class CompiledStatements<Row> {
  private readonly known = new LRUCache<string, CompiledQuery>({ max: MAX_STATEMENTS })

  /**
   * @param key names all that `build` depends on, but for the values that replace blanks
   * @param values by the numbers that stand for them, which nothing else is given
   */
  async rows(
    db: Database,
    key: string,
    build: () => Compilable<Row>,
    values: ReadonlyMap<number, number> = new Map(),
  ): Promise<Row[]> {
    const { sql, parameters } = this.known.get(key) ?? this.compile(key, build())
    const filledIn = parameters.map((one) => (typeof one === 'number' ? (values.get(one) ?? one) : one))
    const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(sql, filledIn) as CompiledQuery<Row>)
    return rows
  }

  private compile(key: string, built: Compilable<Row>): CompiledQuery {
    const { sql, parameters } = built.compile()
    const compiled = CompiledQuery.raw(sql, [...parameters])
    this.known.set(key, compiled)
    return compiled
  }
}

/**
 * Arrays that the planner does not see: one plan serves them all, however many values there are. Of arrays
 * that it sees, PostgreSQL plans each again, since fewer values look cheaper than the ten it assumes; for a
 * small statement that takes longer than running it.
 */
export function idsOfAnyNumber(ids: readonly number[]): RawBuilder<number[]> {
  return sql`(select ${ids}::bigint[])::bigint[]`
}

export function textsOfAnyNumber(texts: readonly (string | null)[]): RawBuilder<string[]> {
  return sql`(select ${texts}::text[])::text[]`
}
