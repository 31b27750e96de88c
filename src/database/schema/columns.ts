import type { ColumnType } from 'kysely'

/** A time the database fills in when none is given. */
export type DefaultTime = ColumnType<Date, Date | undefined, Date>
export type OptionalTime = ColumnType<Date | null, Date | null | undefined, Date | null>
