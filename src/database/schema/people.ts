import type { Generated, GeneratedAlways } from 'kysely'
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
