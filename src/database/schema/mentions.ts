import type { DefaultTime } from './columns.ts'

/** Somebody whom a post mentions, or an earlier text of it did: db/migrations/100_mentions.sql. */
interface Mentions {
  person_id: number
  question_id: number | null
  answer_id: number | null
  reply_id: number | null
  mentioned_by: number
  mentioned_at: DefaultTime
}

export interface MentionsTables {
  mentions: Mentions
}
