import { csvOf } from '../../text/csv.ts'
import type { AuditRow } from './queries.ts'

/** Entries as CSV, the same in every language: times in UTC, details as JSON. */
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
  return csvOf([columns, ...records])
}
