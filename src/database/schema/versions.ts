import type { OptionalTime } from './columns.ts'

/** A text that an edit replaced: db/schema/tables/04_posts.sql. */
interface PostVersions {
  question_id: number | null
  answer_id: number | null
  reply_id: number | null
  version: number
  /** This and tags: of questions. */
  title: string | null
  /** null: redacted. */
  body: string | null
  tags: string[] | null
  written_by: number
  written_at: Date
  reason: string | null
  redacted_at: OptionalTime
  redacted_by: number | null
}

export interface VersionsTables {
  post_versions: PostVersions
}
