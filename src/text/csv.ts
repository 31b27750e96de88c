import { stringify } from 'csv-stringify/sync'

/** Rows as CSV (RFC 4180), columns' names first, with the mark by which spreadsheets know UTF-8; formulas are escaped. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    { bom: true, escape_formulas: true, record_delimiter: 'windows' },
  )
}
