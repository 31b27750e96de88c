import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import type { Schema } from './tables.ts'

export type { Language } from '../messages/language.ts'
export type { Schema } from './tables.ts'

/** Where queries read and commands write: the pool, or a transaction of it. */
export type Database = Kysely<Schema>
/** Inside one transaction: what asks for it does not begin its own. */
export type Write = Transaction<Schema>
export type Row<Table extends keyof Schema> = Selectable<Schema[Table]>
export type NewRow<Table extends keyof Schema> = Insertable<Schema[Table]>

export type Role = Row<'course_members'>['role']
/** Who may write in a public course. */
export type Asking = Row<'courses'>['asking']
/** Colours of a course that can be read on light and dark pages: public/css/accents.css. */
export type Accent = Row<'courses'>['accent']
export type FaqState = Row<'faq_entries'>['state']
export type Status = Row<'questions'>['status']
/** Who reads a question and everything under it; 'staff': its asker and the staff of its course. */
export type Audience = Row<'questions'>['audience']
export type Theme = Row<'people'>['theme']
export type HalfWay = Row<'half_sign_ins'>['way']
export type MailLinkPurpose = Row<'mail_links'>['purpose']
/** The scopes of a token: read, write, and staff, which adds the rights of staff to the others. */
export type TokenScope = Row<'api_tokens'>['scopes'][number]
export type Preset = Row<'identity_providers'>['preset']
/** In which role somebody acted; 'self': on their own account; 'operator': at the command line; 'forum': a job. */
export type AuditRole = Row<'audit'>['role']
/** The kinds of things a case can be about. */
export type CaseAbout = Row<'cases'>['about']
export type CaseState = Row<'cases'>['state']

/** Why something is reported, in the order of the form. */
export const REPORT_REASONS = [
  'spam',
  'rude',
  'solution',
  'personal',
  'other',
] as const satisfies ReportReason[]
export type ReportReason = Row<'reports'>['reason']
/** The kinds of measures, in the order of the form. */
export const MEASURES = [
  'hide',
  'delete',
  'close',
  'private',
  'reset-name',
  'warn',
  'suspend',
] as const satisfies MeasureKind[]
export type MeasureKind = Row<'measures'>['kind']
/** The pages of a forum that its admins write. */
export const POLICY_NAMES = ['rules', 'privacy', 'contact'] as const satisfies PolicyName[]
export type PolicyName = Row<'policies'>['name']
/** Why somebody is notified of a question or an announcement, strongest first. */
export const REASONS = [
  'mention',
  'answered',
  'accepted',
  'endorsed',
  'released',
  'reply',
  'clarification',
  'promise',
  'moved',
  'converted',
  'held',
  'followed',
  'announcement',
  'question',
] as const satisfies Row<'notifications'>['reason'][]
export type Reason = (typeof REASONS)[number]
/** Why somebody is notified of a case: it waits, or an objection does; what became of a report; what was decided, or answered to an objection. */
export type CaseReason = Exclude<Row<'notifications'>['reason'], Reason>
/** How often mail comes. */
export const RHYTHMS = ['soon', 'daily', 'weekly', 'never'] as const satisfies Rhythm[]
export type Rhythm = Row<'people'>['mail_rhythm']
/** How often pushes come: as often as emails, at once, or never. */
export const PUSH_RHYTHMS = ['mails', 'soon', 'never'] as const satisfies PushRhythm[]
export type PushRhythm = Row<'people'>['push_rhythm']
