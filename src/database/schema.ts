import type {
  ColumnType,
  Generated,
  GeneratedAlways,
  Insertable,
  JSONColumnType,
  Kysely,
  Selectable,
  Transaction,
} from 'kysely'
import type { Language } from '../messages/language.ts'

export type { Language } from '../messages/language.ts'

export type Theme = 'system' | 'light' | 'dark'
export type Role = 'learner' | 'assistant' | 'instructor'
/** Who may write in a public course. */
export type Asking = 'everybody' | 'members'
/** Colours of a course that can be read on light and dark pages: public/css/accents.css. */
export type Accent = 'green' | 'blue' | 'violet' | 'plum' | 'slate'
export type Status = 'unresolved' | 'resolved'

/** A time the database fills in when none is given. */
type DefaultTime = ColumnType<Date, Date | undefined, Date>
type OptionalTime = ColumnType<Date | null, Date | null | undefined, Date | null>

export interface People {
  id: GeneratedAlways<number>
  display_name: string
  email: string | null
  email_confirmed_at: OptionalTime
  password_hash: string | null
  is_admin: Generated<boolean>
  language: Language | null
  time_zone: string | null
  theme: Generated<Theme>
  questions_count: Generated<number>
  answers_count: Generated<number>
  joined_at: DefaultTime
  access_version: Generated<number>
  new_until: OptionalTime
  left_at: OptionalTime
}

export interface Sessions {
  token_hash: Buffer
  person_id: number
  signed_in_at: DefaultTime
  last_seen_at: DefaultTime
  user_agent: Generated<string>
  is_from_link: Generated<boolean>
  passkey_at: OptionalTime
}

export interface SignInLinks {
  token_hash: Buffer
  person_id: number
  expires_at: Date
  used_at: OptionalTime
}

export type MailLinkPurpose =
  | 'confirm-email'
  | 'new-password'
  | 'change-email'
  | 'undo-email-change'
  | 'undo-second-factor'

export interface MailLinks {
  token_hash: Buffer
  person_id: number
  purpose: MailLinkPurpose
  email: string
  made_at: DefaultTime
  expires_at: Date
  used_at: OptionalTime
  was_confirmed: Generated<boolean>
}

export interface SecondFactors {
  person_id: number
  secret: Buffer
  made_at: DefaultTime
  confirmed_at: OptionalTime
  last_step: Generated<number>
}

export interface RecoveryCodes {
  person_id: number
  code_hash: Buffer
  used_at: OptionalTime
}

export type HalfWay = 'password' | 'link'

export interface HalfSignIns {
  token_hash: Buffer
  person_id: number
  way: HalfWay
  path: string
  tries: Generated<number>
  begun_at: DefaultTime
}

export interface PasskeyHolders {
  person_id: number
  handle: Buffer
}

export interface Passkeys {
  id: GeneratedAlways<number>
  person_id: number
  name: string
  credential_id: Buffer
  public_key: Buffer
  counter: number
  transports: string[]
  is_backup_eligible: boolean
  is_backed_up: boolean
  added_at: DefaultTime
  last_used_at: OptionalTime
}

export interface AnsweredChallenges {
  token_hash: Buffer
  answered_at: DefaultTime
}

export interface SiteSettings {
  is_only: Generated<boolean>
  staff_need_second_factor: Generated<boolean>
}

export interface SetUpLinks {
  is_only: Generated<boolean>
  token_hash: Buffer
  nonce: Generated<Buffer>
}

export interface SecretFingerprints {
  fingerprint: Buffer
  used_at: DefaultTime
}

export interface Courses {
  id: GeneratedAlways<number>
  slug: string
  title: string
  field: Generated<string>
  description: Generated<string>
  language: Generated<Language>
  time_zone: Generated<string>
  is_public: Generated<boolean>
  version: Generated<number>
  asking: Generated<Asking>
  accent: Generated<Accent>
  archived_at: OptionalTime
  questions_count: Generated<number>
  resolved_count: Generated<number>
  unanswered_count: Generated<number>
  created_at: DefaultTime
}

export interface Categories {
  id: GeneratedAlways<number>
  course_id: number
  slug: string
  name: string
  position: Generated<number>
}

export interface Lectures {
  id: GeneratedAlways<number>
  course_id: number
  position: number
  title: string
  questions_count: Generated<number>
  unresolved_count: Generated<number>
}

export interface CourseMembers {
  course_id: number
  person_id: number
  role: Role
}

/** A role given to an address that its owner has not confirmed yet. */
export interface PendingRoles {
  course_id: number
  email: string
  role: Role
  given_at: DefaultTime
}

/** What questions, answers and replies have in common. */
interface Post {
  id: GeneratedAlways<number>
  author_id: number
  body: string
  body_html: string
  renderer_version: number
  written_at: DefaultTime
  edited_at: OptionalTime
  deleted_at: OptionalTime
  deleted_by: number | null
  version: Generated<number>
  is_imported: Generated<boolean>
}

export interface Questions extends Post {
  course_id: number
  category_id: number
  lecture_id: number | null
  title: string
  status: Generated<Status>
  accepted_answer_id: number | null
  answers_count: Generated<number>
  votes_count: Generated<number>
  imported_votes_count: Generated<number>
  views_count: Generated<number>
  active_at: DefaultTime
  /** 0 unresolved, 1 unresolved and unanswered, 2 resolved, 3 resolved and unanswered. */
  state: GeneratedAlways<number>
}

export interface Answers extends Post {
  question_id: number
  was_accepted: Generated<boolean>
  votes_count: Generated<number>
  imported_votes_count: Generated<number>
}

export interface Replies extends Post {
  question_id: number
  answer_id: number | null
}

export interface Tags {
  id: GeneratedAlways<number>
  name: string
}

export interface CourseTags {
  course_id: number
  tag_id: number
  questions_count: Generated<number>
}

export interface QuestionTags {
  question_id: number
  position: number
  tag_id: number
  /** This and the columns after it: as of the question, kept by triggers. */
  course_id: GeneratedAlways<number>
  state: GeneratedAlways<number>
  written_at: GeneratedAlways<Date>
  active_at: GeneratedAlways<Date>
  votes: GeneratedAlways<number>
  views: GeneratedAlways<number>
  is_deleted: GeneratedAlways<boolean>
}

export interface QuestionVotes {
  question_id: number
  person_id: number
  voted_at: DefaultTime
}

export interface AnswerVotes {
  answer_id: number
  person_id: number
  voted_at: DefaultTime
}

export interface QuestionViews {
  question_id: number
  day: string
  visitor: Buffer
  network: Buffer | null
  seen_at: DefaultTime
}

export interface PostedOnce {
  key: Buffer
  person_id: number
  path: Generated<string>
  posted_at: DefaultTime
}

export interface KeptForms {
  token_hash: Buffer
  fields: JSONColumnType<Record<string, string>>
  kept_at: DefaultTime
  person_id: number | null
  browser_hash: Buffer | null
  network_hash: Buffer | null
}

export interface EndedSessions {
  token_hash: Buffer
  person_id: number
  ended_at: DefaultTime
}

export interface ImportedPeople {
  course_id: number
  source_id: number
  person_id: number
}

export interface ImportedPosts {
  course_id: number
  kind: 'question' | 'answer' | 'reply'
  source_id: number
  post_id: number
}

export interface SearchQueue {
  id: GeneratedAlways<number>
  question_id: number
  queued_at: DefaultTime
}

export interface SearchDocuments {
  question_id: number
  course_id: number
  /** questions.state. */
  state: number
  /** A tsvector in its text form. */
  terms: string
  score: Generated<number>
  terms_version: number
  /** src/forum/search/places.ts */
  places: GeneratedAlways<number[]>
}

export interface SearchTerms {
  term: string
  documents_count: number
}

export interface SearchWords {
  word: string
  questions_count: number
}

export interface QuestionFollows {
  question_id: number
  person_id: number
  instead_of_asking: Generated<boolean>
  followed_at: DefaultTime
}

export interface Mails {
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
  due_at: DefaultTime
  give_up_at: DefaultTime
  tries: Generated<number>
  last_error: string | null
  sent_at: OptionalTime
}

/** Every table, as in db/migrations. */
export interface Schema {
  people: People
  sessions: Sessions
  sign_in_links: SignInLinks
  set_up_links: SetUpLinks
  secret_fingerprints: SecretFingerprints
  mail_links: MailLinks
  second_factors: SecondFactors
  recovery_codes: RecoveryCodes
  half_sign_ins: HalfSignIns
  passkey_holders: PasskeyHolders
  passkeys: Passkeys
  answered_challenges: AnsweredChallenges
  site_settings: SiteSettings
  courses: Courses
  categories: Categories
  lectures: Lectures
  course_members: CourseMembers
  pending_roles: PendingRoles
  questions: Questions
  answers: Answers
  replies: Replies
  tags: Tags
  course_tags: CourseTags
  question_tags: QuestionTags
  question_votes: QuestionVotes
  answer_votes: AnswerVotes
  question_views: QuestionViews
  posted_once: PostedOnce
  kept_forms: KeptForms
  ended_sessions: EndedSessions
  mails: Mails
  imported_people: ImportedPeople
  imported_posts: ImportedPosts
  question_follows: QuestionFollows
  search_documents: SearchDocuments
  search_queue: SearchQueue
  search_terms: SearchTerms
  search_words: SearchWords
}

/** Where queries read and commands write: the pool, or a transaction of it. */
export type Database = Kysely<Schema>
/** Inside one transaction: what asks for it does not begin its own. */
export type Write = Transaction<Schema>
export type Row<Table extends keyof Schema> = Selectable<Schema[Table]>
export type NewRow<Table extends keyof Schema> = Insertable<Schema[Table]>
