import { type RawBuilder, sql } from 'kysely'

/** Rows that what was added or changed can have made a counter of wrong: for each table a query of their ids. */
export interface Touched {
  readonly questions: RawBuilder<unknown>
  readonly answers: RawBuilder<unknown>
  readonly people: RawBuilder<unknown>
  readonly courses: RawBuilder<unknown>
  readonly lectures: RawBuilder<unknown>
  readonly tags: RawBuilder<unknown>
}

/** A condition that a column refers to a touched row of a table. */
export type OnlyTouched = (table: keyof Touched, column: string) => RawBuilder<unknown>

/** @param touched null: everything is */
export function onlyTouched(touched: Touched | null): OnlyTouched {
  return (table, column) => (touched === null ? sql`true` : sql`${sql.ref(column)} in (${touched[table]})`)
}
