import type { GeneratedAlways } from 'kysely'
import type { DefaultTime, OptionalTime } from './columns.ts'

/** What a token is good for: read what is public and its own; write; and, with one of the others, what staff may. */
export type TokenScope = 'read' | 'write' | 'staff'

interface ApiTokens {
  id: GeneratedAlways<number>
  token_hash: Buffer
  /** Whom it acts for; null: a token of the course. */
  person_id: number | null
  /** Where alone it is worth anything; null: everywhere. */
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

/** What programs sign in with, and what they sent once. */
export interface TokensTables {
  api_tokens: ApiTokens
  idempotency_keys: IdempotencyKeys
}
