import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely'
import type { Language } from '../../messages/language.ts'
import type { DefaultTime, OptionalTime } from './columns.ts'

interface SiteSettings {
  is_only: Generated<boolean>
  staff_need_second_factor: Generated<boolean>
  /** After which entries of the audit log are deleted. */
  audit_months: Generated<number>
  /** After which snapshots and reports of a decided case are deleted. */
  case_months: Generated<number>
}

interface SecretFingerprints {
  fingerprint: Buffer
  used_at: DefaultTime
}

interface NotedChecks {
  name: string
  found: number
  checked_at: DefaultTime
}

interface Mails {
  id: GeneratedAlways<number>
  key: Generated<string>
  person_id: number | null
  kind: string
  recipient: string
  language: Language
  subject: string
  text: string
  html: string
  written_at: DefaultTime
  sent_at: OptionalTime
  is_bulk: Generated<boolean>
  is_broadcast: Generated<boolean>
  headers: JSONColumnType<Record<string, string>, string | undefined, string>
  bounced_at: OptionalTime
  tells: JSONColumnType<readonly object[], string | undefined, string>
}

interface Jobs {
  id: GeneratedAlways<number>
  kind: string
  key: string
  priority: Generated<0 | 1 | 2>
  queued_at: DefaultTime
  due_at: DefaultTime
  give_up_at: DefaultTime
  tries: Generated<number>
  last_error: string | null
}

interface ImportedPeople {
  course_id: number
  source_id: number
  person_id: number
}

interface ImportedPosts {
  course_id: number
  kind: 'question' | 'answer' | 'reply'
  source_id: number
  /** Of its kind; all null: it was removed here for good. */
  question_id: number | null
  answer_id: number | null
  reply_id: number | null
}

/** The installation: settings, secrets, mail, imports. */
export interface SiteTables {
  site_settings: SiteSettings
  secret_fingerprints: SecretFingerprints
  noted_checks: NotedChecks
  mails: Mails
  jobs: Jobs
  imported_people: ImportedPeople
  imported_posts: ImportedPosts
}

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
