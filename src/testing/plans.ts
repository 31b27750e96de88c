import type { QueryResult } from 'pg'
import pg from 'pg'
import { connect } from '../database/connection.ts'
import type { Database } from '../database/schema.ts'

/** A step of an executed query plan, summed over its loops. */
export interface PlanStep {
  readonly kind: string
  /** The table or index; '' for other steps. */
  readonly relation: string
  /** Rows read, including those that a filter discarded. */
  readonly rowsRead: number
  /** Input rows of a sort; 0 for other steps. */
  readonly rowsSorted: number
  /** Estimated rows of the whole table; 0 for other steps. */
  readonly rowsThere: number
}

export interface Explained {
  readonly text: string
  /** Of 8 KB that were read, from memory or disk. */
  readonly blocks: number
  readonly steps: readonly PlanStep[]
}

interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/** Runs `work` on the database, and each of its selects once more under EXPLAIN ANALYZE. */
export async function explained(url: string, work: (db: Database) => Promise<unknown>): Promise<Explained[]> {
  const parts = await explainedBy(url, async function* (db) {
    await work(db)
    yield 'all'
  })
  return parts.get('all') ?? []
}

/** The same by parts of the work: each name that it yields is that of what was selected since the last. */
export async function explainedBy(
  url: string,
  work: (db: Database) => AsyncIterable<string>,
): Promise<Map<string, Explained[]>> {
  const statements: Statement[] = []
  const parts = new Map<string, Statement[]>()
  const db = connect(url, { statementTimeout: 0, onConnection: (client) => record(client, statements) })
  try {
    for await (const name of work(db)) parts.set(name, statements.splice(0))
  } finally {
    await db.destroy()
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const sizes = await sizesOf(client)
    const [plans, known] = [new Map<string, Explained[]>(), new Map<string, Explained>()]
    for (const [name, some] of parts) {
      const of: Explained[] = []
      for (const { text, values } of some) {
        // What each page asks is explained once.
        const key = JSON.stringify([text, values])
        const plan = known.get(key) ?? { text, ...(await planOf(client, text, values, sizes)) }
        known.set(key, plan)
        of.push(plan)
      }
      plans.set(name, of)
    }
    return plans
  } finally {
    await client.end()
  }
}

/** That a statement writes: it isn't done twice. */
const WRITES = /\b(?:insert into|delete from|update \w+ (?:as \w+ )?set)\b/i

/** Records a connection's statements and passes them on. */
function record(client: pg.PoolClient, statements: Statement[]): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  client.query = ((...given: unknown[]) => {
    const [text, values] = given
    if (typeof text === 'string' && /^\s*(?:select|with)\b/i.test(text) && !WRITES.test(text)) {
      statements.push({ text, values: Array.isArray(values) ? values : [] })
    }
    return query(...given)
  }) as typeof client.query
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

/** The estimated number of rows of each table. */
async function sizesOf(client: pg.Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ relname: string; reltuples: number }>(
    `select relname, reltuples from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return new Map(rows.map(({ relname, reltuples }) => [relname, reltuples]))
}

async function planOf(
  client: pg.Client,
  text: string,
  values: readonly unknown[],
  sizes: ReadonlyMap<string, number>,
): Promise<Omit<Explained, 'text'>> {
  const result: QueryResult<{ 'QUERY PLAN': [{ Plan: PlanNode }] }> = await client.query(
    `explain (analyze, buffers, format json) ${text}`,
    [...values],
  )
  const root = result.rows[0]?.['QUERY PLAN'][0].Plan
  if (root === undefined) return { blocks: 0, steps: [] }
  return { blocks: root['Shared Hit Blocks'] + root['Shared Read Blocks'], steps: walk(root, sizes) }
}

function walk(node: PlanNode, sizes: ReadonlyMap<string, number>): PlanStep[] {
  const loops = node['Actual Loops']
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const children = node.Plans ?? []
  const given = children.reduce((sum, child) => sum + child['Actual Rows'] * child['Actual Loops'], 0)
  const step = {
    kind: node['Node Type'],
    relation: node['Relation Name'] ?? node['Index Name'] ?? '',
    rowsRead: (node['Actual Rows'] + removed) * loops,
    rowsThere: sizes.get(node['Relation Name'] ?? '') ?? 0,
    rowsSorted: /Sort$/.test(node['Node Type']) ? given : 0,
  }
  return [step, ...children.flatMap((child) => walk(child, sizes))]
}

/** Tables that grow with the forum. */
const GROWING = new Set(
  'questions answers replies question_desk question_tags question_votes answer_votes people search_documents search_terms search_words cases case_snapshots'.split(
    ' ',
  ),
)

/**
 * Problems of a plan for a page that must be fast whatever the forum's size.
 * @param most maximum rows that one step may read from a growing table, and that one sort may get
 */
export function complaints({ text, steps }: Explained, most: number): string[] {
  return steps.flatMap(({ kind, relation, rowsRead, rowsSorted, rowsThere }) => {
    const isGrowing = GROWING.has(relation)
    const found = [
      ...(kind === 'Seq Scan' && isGrowing && rowsThere > most ? [`reads all of ${relation}`] : []),
      ...(isGrowing && rowsRead > most ? [`reads ${rowsRead} rows of ${relation}`] : []),
      ...(kind === 'Bitmap Index Scan' && rowsRead > most ? [`finds ${rowsRead} rows by ${relation}`] : []),
      ...(rowsSorted > most ? [`sorts ${rowsSorted} rows`] : []),
    ]
    return found.map((what) => `${what}: ${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`)
  })
}
