import type { Generated } from 'kysely'
import type { DefaultTime } from './columns.ts'

interface QuestionFollows {
  question_id: number
  person_id: number
  level: Generated<'follow' | 'mute'>
  instead_of_asking: Generated<boolean>
  followed_at: DefaultTime
}

interface CourseFollows {
  course_id: number
  person_id: number
  is_followed: boolean
  followed_at: DefaultTime
}

interface LectureFollows {
  lecture_id: number
  person_id: number
  followed_at: DefaultTime
}

interface TagFollows {
  tag_id: number
  person_id: number
  followed_at: DefaultTime
}

/** Following. */
export interface TellingTables {
  question_follows: QuestionFollows
  course_follows: CourseFollows
  lecture_follows: LectureFollows
  tag_follows: TagFollows
}
