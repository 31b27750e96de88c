import assert from 'node:assert/strict'
import { type RawBuilder, sql } from 'kysely'
import type { Database, NewRow, Row, Schema } from '../database/schema.ts'

/** Values of columns, or an id; none: all rows. */
type Where<Table extends keyof Schema> = number | Partial<Row<Table>>

/** Rows that have these values, in the order of their first column: their id, or what they belong to. */
export async function rowsOf<Table extends keyof Schema>(
  db: Database,
  table: Table,
  where: Where<Table>,
): Promise<Row<Table>[]> {
  const { rows } = await sql<Row<Table>>`
    select * from ${sql.table(table)} where ${having(where)} order by 1`.execute(db)
  return rows
}

/** The first of them. @throws AssertionError where there is none */
export async function rowOf<Table extends keyof Schema>(
  db: Database,
  table: Table,
  where: Where<Table>,
): Promise<Row<Table>> {
  const [row] = await rowsOf(db, table, where)
  return row ?? assert.fail(`no row of ${table}`)
}

/** What each has in a column. */
export const valuesOf = <Values, Column extends keyof Values>(rows: readonly Values[], column: Column) =>
  rows.map((row) => row[column])

/** What each has in several, in their order. */
export const columnsOf = <Values, Column extends keyof Values>(
  rows: readonly Values[],
  ...columns: readonly Column[]
) => rows.map((row) => columns.map((column) => row[column]))

/** Adds one past every rule but those of its table. */
export async function addRow<Table extends keyof Schema>(
  db: Database,
  table: Table,
  values: NewRow<Table>,
): Promise<void> {
  await db
    .insertInto(table)
    .values(values as never)
    .execute()
}

/** Changes rows past every rule, as time and faults do. */
export async function setRows<Table extends keyof Schema>(
  db: Database,
  table: Table,
  where: Where<Table>,
  values: { readonly [Column in keyof Row<Table>]?: Row<Table>[Column] | RawBuilder<unknown> },
): Promise<void> {
  const changes = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  await sql`update ${sql.table(table)} set ${sql.join(changes)} where ${having(where)}`.execute(db)
}

function having(where: number | object) {
  const columns = Object.entries(typeof where === 'number' ? { id: where } : where)
  const conditions = columns.map(([column, value]) => sql`${sql.ref(column)} is not distinct from ${value}`)
  return sql.join([sql`true`, ...conditions], sql` and `)
}
