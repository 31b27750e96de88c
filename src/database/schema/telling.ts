import type { Generated, GeneratedAlways } from 'kysely'
import type { DefaultTime, OptionalTime } from './columns.ts'

/** Why somebody is told, strongest first. */
export const REASONS = [
  'mention',
  'answered',
  'accepted',
  'endorsed',
  'reply',
  'clarification',
  'promise',
  'followed',
  'announcement',
  'question',
] as const
export type Reason = (typeof REASONS)[number]
/** Why somebody is told of a case: it waits, or an objection does; what became of a report; what was decided, or answered to an objection. */
export type CaseReason = 'case' | 'objection' | 'report' | 'measure' | 'objected'
/** How often mail comes. */
export const RHYTHMS = ['soon', 'daily', 'weekly', 'never'] as const
export type Rhythm = (typeof RHYTHMS)[number]

interface QuestionFollows {
  question_id: number
  person_id: number
  level: Generated<'follow' | 'mute'>
  instead_of_asking: Generated<boolean>
  followed_at: DefaultTime
}

interface CourseFollows {
  course_id: number
  person_id: number
  is_followed: boolean
  followed_at: DefaultTime
}

interface LectureFollows {
  lecture_id: number
  person_id: number
  followed_at: DefaultTime
}

interface TagFollows {
  tag_id: number
  person_id: number
  followed_at: DefaultTime
}

interface Notifications {
  id: GeneratedAlways<number>
  person_id: number
  /** One of these three. */
  question_id: number | null
  announcement_id: number | null
  case_id: number | null
  reason: Reason | CaseReason
  count: Generated<number>
  first_answer_id: number | null
  first_reply_id: number | null
  since_at: Date
  happened_at: Date
  seen_at: OptionalTime
  due_at: OptionalTime
  unmailed_since: OptionalTime
  accepted_at: OptionalTime
  endorsed_at: OptionalTime
  overdue_at: OptionalTime
  clarify_at: OptionalTime
  /** When a mail or a push last told of it. */
  mailed_at: OptionalTime
}

/** Exactly one of the three posts: db/schema/tables/04_posts.sql. */
interface Mentions {
  person_id: number
  question_id: number | null
  answer_id: number | null
  reply_id: number | null
  mentioned_at: Date
  mentioned_by: number | null
}

interface QuestionReads {
  question_id: number
  person_id: number
  read_at: Date
}

/** How far somebody has read a whole course: forum/telling/opened-courses.ts. */
interface CourseReads {
  course_id: number
  person_id: number
  read_up_to: Date
}

/** When the weekly mail to staff comes next. */
interface StaffWeeks {
  person_id: number
  next_at: Date
}

interface ReplyKeys {
  token_hash: Buffer
  person_id: number
  question_id: number
  answer_id: number | null
  is_answer: boolean
  made_at: DefaultTime
}

interface IncomingMails {
  message_id: string
  received_at: DefaultTime
  outcome: string
}

/** Of an answer or a reply: db/schema/tables/04_posts.sql. */
interface LeftOutTexts {
  answer_id: number | null
  reply_id: number | null
  text: string
  made_at: DefaultTime
}

/** Following, being told, and answering by mail. */
export interface TellingTables {
  question_follows: QuestionFollows
  course_follows: CourseFollows
  lecture_follows: LectureFollows
  tag_follows: TagFollows
  notifications: Notifications
  mentions: Mentions
  staff_weeks: StaffWeeks
  question_reads: QuestionReads
  course_reads: CourseReads
  reply_keys: ReplyKeys
  incoming_mails: IncomingMails
  left_out_texts: LeftOutTexts
}

interface PushSubscriptions {
  id: GeneratedAlways<number>
  /** Of its session. */
  token_hash: Buffer
  person_id: number
  endpoint: string
  p256dh: string
  auth: string
  server_key: string
  created_at: DefaultTime
  last_sent_at: OptionalTime
}

/** Browsers that are told what is new. */
export interface PushingTables {
  push_subscriptions: PushSubscriptions
}
