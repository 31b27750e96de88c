import { stringify } from 'csv-stringify/sync'
import type { AuditRow } from './queries.ts'

/**
 * Entries as CSV, the same in every language: times in UTC, details as JSON. Text that a spreadsheet would calculate is escaped.
 * With a byte order mark, by which spreadsheets know UTF-8.
 */
export function auditCsv(rows: readonly AuditRow[]): string {
  const columns = ['time', 'actor', 'actor_name', 'role', 'act', 'course', 'subject', 'subject_id', 'details']
  const records = rows.map((row) => [
    row.happened_at.toISOString(),
    row.actor_id === null ? '' : String(row.actor_id),
    row.actor_name ?? '',
    row.role,
    row.act,
    row.course_slug ?? (row.course_id === null ? '' : String(row.course_id)),
    row.subject_kind ?? '',
    row.subject_id === null ? '' : String(row.subject_id),
    Object.keys(row.detail).length === 0 ? '' : JSON.stringify(row.detail),
  ])
  const options = { bom: true, escape_formulas: true, record_delimiter: 'windows' } as const
  return stringify([columns, ...records], options)
}
