import type { Generated, JSONColumnType } from 'kysely'
import type { DefaultTime } from './columns.ts'

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
