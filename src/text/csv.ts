import { stringify } from 'csv-stringify/sync'

/**
 * Rows as a CSV file, the columns' names first (RFC 4180). With a byte order mark, by which spreadsheets know
 * UTF-8; text that they would calculate is escaped.
 * @param isWhole false: more rows, or for programs: without the mark
 */
export function csvOf(rows: readonly (readonly string[])[], { isWhole = true } = {}): string {
  return stringify(
    rows.map((row) => [...row]),
    { bom: isWhole, escape_formulas: true, record_delimiter: 'windows' },
  )
}
