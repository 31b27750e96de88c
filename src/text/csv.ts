import { stringify } from 'csv-stringify/sync'

/**
 * Rows as a CSV file, the columns' names first (RFC 4180). With a byte order mark, by which spreadsheets know
 * UTF-8; text that they would calculate is escaped.
 */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return stringify(
    rows.map((row) => [...row]),
    { bom: true, escape_formulas: true, record_delimiter: 'windows' },
  )
}
