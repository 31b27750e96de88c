import type { GeneratedAlways } from 'kysely'
import type { DefaultTime } from './columns.ts'

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
