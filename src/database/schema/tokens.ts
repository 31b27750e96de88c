import type { GeneratedAlways } from 'kysely'
import type { DefaultTime, OptionalTime } from './columns.ts'

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
