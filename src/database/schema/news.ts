import type { Generated, GeneratedAlways } from 'kysely'
import type { DefaultTime, OptionalTime } from './columns.ts'

export type FaqState = 'proposed' | 'shown' | 'declined'

interface Announcements {
  id: GeneratedAlways<number>
  course_id: number
  author_id: number
  title: string
  body: string
  /** What it is found by: text of a tsvector. */
  terms: string
  corrects_id: number | null
  version: Generated<number>
  published_at: DefaultTime
  edited_at: OptionalTime
}

/** A question, or a text of its own. */
interface FaqEntries {
  id: GeneratedAlways<number>
  course_id: number
  question_id: number | null
  title: string | null
  body: string | null
  terms: string | null
  position: number
  state: Generated<FaqState>
  version: Generated<number>
  changed_at: DefaultTime
}

/** What staff tell a whole course. */
export interface NewsTables {
  announcements: Announcements
  faq_entries: FaqEntries
}
