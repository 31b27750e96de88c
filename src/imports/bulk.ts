import { sql } from 'kysely'
import type { NewRow, Schema, Write } from '../database/schema.ts'

/** Tables with ids of the database's own making. */
type Numbered = 'people' | 'questions' | 'answers' | 'replies'

/** Rows go to the database this many at a time… */
const MOST_ROWS = 250
/** …or fewer, when their texts are long: this many characters are kept in memory. */
const MOST_CHARACTERS = 1_000_000

/**
 * Collects what comes one by one into batches of bounded size.
 * @param lengthOf how many characters an item holds
 */
export async function* batches<Item>(
  items: AsyncIterable<Item>,
  lengthOf: (item: Item) => number,
): AsyncGenerator<Item[]> {
  let batch: Item[] = []
  let characters = 0
  for await (const item of items) {
    batch.push(item)
    characters += lengthOf(item)
    if (batch.length < MOST_ROWS && characters < MOST_CHARACTERS) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/** Ids for new rows, taken before they are inserted: what belongs to a row is then known without asking again. */
export async function takeIds(write: Write, table: Numbered, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${table}, 'id')) as id from generate_series(1, ${count})`.execute(
    write,
  )
  return rows.map((row) => row.id)
}

/** Inserts rows in one statement with one parameter, whatever their number. They all have the first one's columns. */
export async function insertRows<Table extends keyof Schema>(
  write: Write,
  table: Table,
  rows: readonly (NewRow<Table> & { readonly id?: number })[],
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = sql.join(Object.keys(first).map((column) => sql.ref(column)))
  await sql`
    insert into ${sql.table(table)} (${columns}) overriding system value
    select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})`.execute(
    write,
  )
}
