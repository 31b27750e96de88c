import type { GeneratedAlways, JSONColumnType } from 'kysely'
import type { DefaultTime, OptionalTime } from './columns.ts'

/** In which role somebody acted; 'self': on their own account; 'operator': at the command line; 'forum': a job. */
export type AuditRole =
  | 'self'
  | 'visitor'
  | 'outsider'
  | 'learner'
  | 'assistant'
  | 'instructor'
  | 'admin'
  | 'operator'
  | 'forum'

interface Audit {
  id: GeneratedAlways<number>
  happened_at: DefaultTime
  act: string
  actor_id: number | null
  role: AuditRole
  course_id: number | null
  subject_kind: string | null
  subject_id: number | null
  detail: JSONColumnType<Readonly<Record<string, string | number | boolean>>, string | undefined, string>
  redacted_at: OptionalTime
}

/** The audit log. */
export interface AuditTables {
  audit: Audit
}
