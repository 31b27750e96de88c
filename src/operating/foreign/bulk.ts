import { sql } from 'kysely'
import type { NewRow, Schema, Write } from '../../database/schema.ts'

/** Maximum rows of one insert… */
const MAX_BATCH_ROWS = 250
/** …and maximum characters of text in it: this bounds the memory of a batch. */
const MAX_BATCH_CHARACTERS = 1_000_000

/**
 * Groups items into batches of bounded size.
 * @param lengthOf number of characters that an item holds
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
    if (batch.length < MAX_BATCH_ROWS && characters < MAX_BATCH_CHARACTERS) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/** Takes ids for new rows before they are inserted, so that dependent rows can refer to them. */
export async function takeIds(write: Write, table: keyof Schema, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence(${table}, 'id')) as id from generate_series(1, ${count})`.execute(
    write,
  )
  return rows.map((row) => row.id)
}

/** Inserts rows in one statement with one parameter, however many there are. All have the columns of the first. */
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
