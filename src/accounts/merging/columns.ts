import { everyTable, type OwnRows, type Table } from '../../database/table.ts'

/** Columns of a table that name the other account after a merge. */
export interface MovedColumns extends Pick<Table, 'name' | 'key' | 'question'> {
  readonly columns: readonly string[]
}

export function movedColumns(): readonly MovedColumns[] {
  return everyTable()
    .map(({ name, key, question, people }) => ({
      name,
      key,
      ...(question !== undefined && { question }),
      columns: Object.keys(people).filter((column) => people[column]?.merge === 'moves'),
    }))
    .filter(({ columns }) => columns.length > 0)
}

/** A table whose rows are people's own. */
export interface OwnTable extends OwnRows, Pick<Table, 'name' | 'key'> {
  readonly columns: readonly string[]
}

/** In the order in which rows are inserted; they are deleted in the reverse one. */
export function ownTables(): readonly OwnTable[] {
  return everyTable().flatMap(({ name, key, people, own }) =>
    own === undefined ? [] : [{ name, key, columns: Object.keys(people), ...own }],
  )
}
