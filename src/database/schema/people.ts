import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely'
import type { Language } from '../../messages/language.ts'
import type { DefaultTime, OptionalTime } from './columns.ts'
import type { Rhythm } from './telling.ts'

export type Theme = 'system' | 'light' | 'dark'

interface People {
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
  mail_rhythm: Generated<Rhythm>
  mails_off: Generated<string[]>
  mail_stopped_for: string | null
}

/** People whose account is closed, and whose posts are being dealt with. */
interface Departures {
  person_id: number
  takes_posts: boolean
  former_name: string
  begun_at: DefaultTime
}

interface Sessions {
  token_hash: Buffer
  person_id: number
  signed_in_at: DefaultTime
  last_seen_at: DefaultTime
  user_agent: Generated<string>
  /** The proof that replaces the password for a while, and its time; null: none. */
  proof: Generated<'link' | 'passkey' | 'provider' | 'fresh-provider' | 'password' | null>
  proved_at: OptionalTime
}

interface EndedSessions {
  token_hash: Buffer
  person_id: number
  ended_at: DefaultTime
}

interface SignInLinks {
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

interface MailLinks {
  token_hash: Buffer
  person_id: number
  purpose: MailLinkPurpose
  email: string
  made_at: DefaultTime
  expires_at: Date
  used_at: OptionalTime
  was_confirmed: Generated<boolean>
  /** Where confirming leads. */
  next_path: Generated<string | null>
}

interface SetUpLinks {
  is_only: Generated<boolean>
  token_hash: Buffer
  nonce: Generated<Buffer>
  expires_at: DefaultTime
}

/** Accounts and the ways into them. */
export interface PeopleTables {
  people: People
  departures: Departures
  sessions: Sessions
  ended_sessions: EndedSessions
  sign_in_links: SignInLinks
  mail_links: MailLinks
  set_up_links: SetUpLinks
}

interface SecondFactors {
  person_id: number
  secret: Buffer
  made_at: DefaultTime
  confirmed_at: OptionalTime
  last_step: Generated<number>
}

interface RecoveryCodes {
  person_id: number
  code_hash: Buffer
  used_at: OptionalTime
}

export type HalfWay = 'password' | 'link' | 'provider' | 'fresh-provider'

interface HalfSignIns {
  token_hash: Buffer
  person_id: number
  way: HalfWay
  path: string
  /** The provider of the first step. */
  linked_account_id: Generated<number | null>
  provider_sid: Generated<string | null>
  tries: Generated<number>
  begun_at: DefaultTime
}

interface PasskeyHolders {
  person_id: number
  handle: Buffer
}

interface Passkeys {
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

interface AnsweredChallenges {
  token_hash: Buffer
  answered_at: DefaultTime
}

/** Authenticator apps, recovery codes and passkeys. */
export interface SecondFactorsTables {
  second_factors: SecondFactors
  recovery_codes: RecoveryCodes
  half_sign_ins: HalfSignIns
  passkey_holders: PasskeyHolders
  passkeys: Passkeys
  answered_challenges: AnsweredChallenges
}

/** The scopes of a token: read, write, and staff, which adds the rights of staff to the others. */
export type TokenScope = 'read' | 'write' | 'staff'

interface ApiTokens {
  id: GeneratedAlways<number>
  token_hash: Buffer
  /** The person it acts for; null: a token of the course. */
  person_id: number | null
  /** The only course where it is valid; null: everywhere. */
  course_id: number | null
  name: string
  scopes: TokenScope[]
  created_at: DefaultTime
  ends_at: DefaultTime
  last_used_at: OptionalTime
}

interface IdempotencyKeys {
  person_id: number
  key_hash: Buffer
  request_hash: Buffer
  path: string
  posted_at: DefaultTime
}

/** Tokens of programs, and their idempotent requests. */
export interface TokensTables {
  api_tokens: ApiTokens
  idempotency_keys: IdempotencyKeys
}

interface PostedOnce {
  key: Buffer
  /** null: a visitor. */
  person_id: number | null
  path: Generated<string>
  posted_at: DefaultTime
}

interface KeptForms {
  token_hash: Buffer
  fields: JSONColumnType<Record<string, string>>
  kept_at: DefaultTime
  person_id: number | null
  browser_hash: Buffer | null
  network_hash: Buffer | null
}

/** Forms that were sent, or kept until sign-in. */
export interface FormsTables {
  posted_once: PostedOnce
  kept_forms: KeptForms
}

interface AccountMerges {
  id: GeneratedAlways<number>
  from_id: number
  into_id: number
  merged_by: number | null
  merged_at: DefaultTime
  /** The row of people as it was; null: the merge can no longer be undone. */
  former: Readonly<Record<string, unknown>> | null
}

interface AccountMergeRows {
  merge_id: number
  table_name: string
  /** null: `content` is a whole row. */
  column_name: string | null
  is_before: boolean
  content: Readonly<Record<string, unknown>>
}

interface AccountMergeCourses {
  merge_id: number
  course_id: number
}

/** Accounts that were merged, where they were known, and how to undo it. */
export interface MergesTables {
  account_merges: AccountMerges
  account_merge_rows: AccountMergeRows
  account_merge_courses: AccountMergeCourses
}
