import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely'
import type { DefaultTime } from './columns.ts'

interface Drafts {
  id: GeneratedAlways<number>
  person_id: number
  place: string
  fields: JSONColumnType<Record<string, string>>
  version: Generated<number>
  posted_digest: Buffer | null
  saved_at: DefaultTime
}

/** Text that somebody is still writing, and what they posted a moment ago. */
export interface DraftsTables {
  drafts: Drafts
}
