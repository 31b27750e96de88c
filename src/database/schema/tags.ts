import type { Generated, GeneratedAlways } from 'kysely'

interface Tags {
  id: GeneratedAlways<number>
  name: string
}

interface CourseTags {
  course_id: number
  tag_id: number
  questions_count: Generated<number>
}

interface QuestionTags {
  question_id: number
  position: number
  tag_id: number
  /** This and the columns after it: as of the question, kept by triggers. */
  course_id: GeneratedAlways<number>
  state: GeneratedAlways<number>
  written_at: GeneratedAlways<Date>
  active_at: GeneratedAlways<Date>
  /** Not listed: deleted, or private. */
  is_deleted: GeneratedAlways<boolean>
}

/** Tags. */
export interface TagsTables {
  tags: Tags
  course_tags: CourseTags
  question_tags: QuestionTags
}
