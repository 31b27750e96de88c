import { type RawBuilder, sql } from 'kysely'
import { declared } from './table.ts'

export interface CountedTable {
  readonly table: string
  /** Its primary key; the last column identifies a row in a report. */
  readonly key: readonly ['id'] | readonly ['course_id', 'tag_id' | 'person_id']
  /** Joined to the table, whose alias is `kept`: the counted rows, grouped by the key. */
  readonly joins: (only: OnlyChanged) => RawBuilder<unknown>
  readonly compared: (only: OnlyChanged) => RawBuilder<unknown>
  /** By counter its expected value. */
  readonly counters: Readonly<Record<string, RawBuilder<unknown>>>
}

/** A table whose rows come as there is something to count, and may be missing. */
export interface FilledTable extends CountedTable {
  readonly key: readonly ['course_id', 'tag_id' | 'person_id']
  /** What is counted, with columns named as the table's own. */
  readonly counted: (only: OnlyChanged) => RawBuilder<unknown>
}

export const { declare: declareCountedTables, all: countedTables } = declared<CountedTable | FilledTable>(
  'what is counted',
)

/** A table of counts; what is not counted for a row counts 0. */
export function filledTable(
  table: string,
  counts: 'tags' | 'people',
  key: FilledTable['key'],
  counted: FilledTable['counted'],
  columns: readonly string[],
): FilledTable {
  const joins = (only: OnlyChanged) =>
    sql`left join (${counted(only)}) as found using (${sql.join(key.map((column) => sql.ref(column)))})`
  const counters = columns.map((column) => [column, sql`coalesce(${sql.ref(`found.${column}`)}, 0)`] as const)
  const compared = (only: OnlyChanged) =>
    sql`${only('courses', 'kept.course_id')} and ${only(counts, `kept.${key[1]}`)}`
  return { table, key, counted, joins, compared, counters: Object.fromEntries(counters) }
}

/** Rows that what was added or changed can have made a counter of wrong: for each table a query of their ids. */
export type ChangedRows = Readonly<
  Record<'questions' | 'answers' | 'people' | 'courses' | 'lectures' | 'tags', RawBuilder<unknown>>
>

/** A condition that a column refers to a touched row of a table. */
export type OnlyChanged = (table: keyof ChangedRows, column: string) => RawBuilder<unknown>
