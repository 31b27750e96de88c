import type { Generated, GeneratedAlways } from 'kysely'
import type { DefaultTime, OptionalTime } from './columns.ts'

/** Whose turn a question is: db/schema/functions/desk.sql. */
interface QuestionDesk {
  question_id: number
  /** This and the columns to replied_since are kept by triggers. */
  course_id: GeneratedAlways<number>
  lecture_id: GeneratedAlways<number | null>
  waiting_since: GeneratedAlways<Date | null>
  classmates_since: GeneratedAlways<Date | null>
  first_staff_at: GeneratedAlways<Date | null>
  asked_at: GeneratedAlways<Date | null>
  asker_since: GeneratedAlways<Date | null>
  replied_since: GeneratedAlways<Date | null>
  done_at: OptionalTime
  done_by: number | null
  reminded_since: OptionalTime
  told_due_since: OptionalTime
  /** A day of the course: 2026-12-01. */
  told_due_on: string | null
  assignee_id: number | null
  assigned_by: number | null
  assigned_at: OptionalTime
  snoozed_until: OptionalTime
}

/** A view: what staff are to be told next of what waits for longer than its course promises. */
interface DueQuestions {
  question_id: number
  course_id: number
  assignee_id: number | null
  waiting_since: Date
  due_at: Date
}

/** Who is about to answer a question: db/schema/tables/06_staff.sql. */
interface DeskClaims {
  question_id: number
  person_id: number
  claimed_until: Date
}

interface Pins {
  question_id: number
  course_id: number
  until: Date
  pinned_by: number
}

interface SavedAnswers {
  id: GeneratedAlways<number>
  course_id: number
  title: string
  body: string
  version: Generated<number>
  saved_at: DefaultTime
}

/** What staff work through. */
export interface DeskTables {
  question_desk: QuestionDesk
  desk_claims: DeskClaims
  due_questions: DueQuestions
  saved_answers: SavedAnswers
  pins: Pins
}
