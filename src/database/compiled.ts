import { type Compilable, CompiledQuery, type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from './schema.ts'

const MAX_STATEMENTS = 500

/** Statements that are built once: for a large one that takes longer than sending it and reading its rows. */
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

/** Arrays that the planner does not see: of those that it sees it plans each again, as fewer values look cheaper. */
export function idsOfAnyNumber(ids: readonly number[]): RawBuilder<number[]> {
  return sql`(select ${ids}::bigint[])::bigint[]`
}

export function textsOfAnyNumber(texts: readonly (string | null)[]): RawBuilder<string[]> {
  return sql`(select ${texts}::text[])::text[]`
}
