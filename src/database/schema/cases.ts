import type { Generated, GeneratedAlways } from 'kysely'
import type { Language } from '../../messages/language.ts'
import type { DefaultTime, OptionalTime } from './columns.ts'

/** Why something is reported. */
export const REPORT_REASONS = ['spam', 'rude', 'solution', 'personal', 'other'] as const
export type ReportReason = (typeof REPORT_REASONS)[number]
/** The kinds of things a case can be about. */
export type CaseAbout = 'question' | 'answer' | 'reply' | 'person'
export type CaseState = 'open' | 'upheld' | 'declined'
/** The kinds of measures, in the order of the form. */
export const MEASURES = ['hide', 'delete', 'close', 'private', 'reset-name', 'warn', 'suspend'] as const
export type MeasureKind = (typeof MEASURES)[number]

/** db/schema/tables/07_moderation.sql. */
interface Cases {
  id: GeneratedAlways<number>
  /** `answer-12`, `person-7`. */
  subject: string
  about: GeneratedAlways<CaseAbout>
  question_id: number | null
  answer_id: number | null
  reply_id: number | null
  person_id: number | null
  course_id: number | null
  is_for_admins: Generated<boolean>
  opened_at: DefaultTime
  opened_by: number | null
  is_reported: boolean
  text_version: string
  reports_count: Generated<number>
  version: Generated<number>
  claimed_by: number | null
  claimed_until: OptionalTime
  state: Generated<CaseState>
  decided_at: OptionalTime
  decided_by: number | null
  reason: ReportReason
  rule: Generated<string>
  note: Generated<string>
  reporter_note: Generated<string>
  staff_note: Generated<string>
}

interface CaseSnapshots {
  case_id: number
  text_version: string
  /** The title of a question, or the display name of a person. */
  title: string | null
  /** null: of a person, or redacted. */
  body: string | null
  /** The beginning of the body as plain text; null: of a person, redacted, or not made yet. */
  excerpt: string | null
  tags: string[] | null
  written_at: Date | null
  taken_at: DefaultTime
  redacted_at: OptionalTime
  redacted_by: number | null
  redacted_why: string | null
}

interface CaseImages {
  case_id: number
  image_id: number
}

interface Reports {
  id: GeneratedAlways<number>
  case_id: number
  /** null: a visitor, or whose account is gone. */
  person_id: number | null
  is_by_visitor: boolean
  visitor_name: Generated<string>
  visitor_email: string | null
  language: Language
  text_version: string
  reason: ReportReason
  note: Generated<string>
  reported_at: DefaultTime
}

interface CaseHandovers {
  id: GeneratedAlways<number>
  case_id: number
  is_to_admins: boolean
  note: Generated<string>
  handed_by: number | null
  handed_at: DefaultTime
}

/** db/schema/tables/07_moderation.sql. */
interface Measures {
  id: GeneratedAlways<number>
  case_id: number
  kind: MeasureKind
  person_id: number | null
  course_id: number | null
  is_everywhere: Generated<boolean>
  former_name: string | null
  starts_at: DefaultTime
  ends_at: OptionalTime
  made_by: number | null
  ended_at: OptionalTime
  ended_by: number | null
  ended_how: 'over' | 'lifted' | 'objection' | null
  end_note: Generated<string>
}

interface Objections {
  measure_id: number
  note: string
  made_at: DefaultTime
  outcome: 'keep' | 'lift' | null
  answer: Generated<string>
  answered_at: OptionalTime
  answered_by: number | null
}

/** Reports, the decisions of staff, and objections to them. */
export interface CasesTables {
  cases: Cases
  case_snapshots: CaseSnapshots
  case_images: CaseImages
  reports: Reports
  case_handovers: CaseHandovers
  measures: Measures
  objections: Objections
}
