/** A value of a row: null, or the text that PostgreSQL parses. */
export type Value = string | number | boolean | null

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/** Rows in the text format of COPY (PostgreSQL's manual, "COPY", File Formats). */
export function copyText(rows: readonly (readonly Value[])[]): string {
  return rows.map((row) => `${row.map(valueText).join('\t')}\n`).join('')
}

/** Milliseconds as a timestamp for COPY. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

function valueText(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value !== 'string') return String(value)
  return value.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character)
}
