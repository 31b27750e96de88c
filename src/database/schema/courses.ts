import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely'
import type { Language } from '../../messages/language.ts'
import type { DefaultTime, OptionalTime } from './columns.ts'
import type { Rhythm } from './telling.ts'

export type Role = 'learner' | 'assistant' | 'instructor'
/** Who may write in a public course. */
export type Asking = 'everybody' | 'members'
/** Colours of a course that can be read on light and dark pages: public/css/accents.css. */
export type Accent = 'green' | 'blue' | 'violet' | 'plum' | 'slate'

interface Courses {
  id: GeneratedAlways<number>
  slug: string
  title: string
  field: Generated<string>
  description: Generated<string>
  language: Generated<Language>
  time_zone: Generated<string>
  is_public: Generated<boolean>
  version: Generated<number>
  asking: Generated<Asking>
  accent: Generated<Accent>
  archived_at: OptionalTime
  /** Within how many hours staff mean to answer. */
  promise_hours: number | null
  /** Learners may ask privately. */
  allows_private: Generated<boolean>
  /** Learners may post anonymously. */
  allows_anonymous: Generated<boolean>
  allows_embeddings: Generated<boolean>
  /** What the ask form begins with, as Markdown. */
  question_template: Generated<string>
  /** Words that mean the same in the course, as its instructor typed them: src/text/words/synonyms.ts reads them. */
  synonyms: Generated<string>
  hides_first_steps: Generated<boolean>
  questions_count: Generated<number>
  resolved_count: Generated<number>
  unanswered_count: Generated<number>
  created_at: DefaultTime
}

/** The state of a deleted course before its deletion. */
interface CourseDeletions {
  course_id: number
  deleted_at: DefaultTime
  was_public: boolean
  was_archived_at: OptionalTime
  members: JSONColumnType<readonly object[], string, string>
  pending: JSONColumnType<readonly object[], string, string>
}

interface Categories {
  id: GeneratedAlways<number>
  course_id: number
  slug: string
  name: string
  position: Generated<number>
}

interface Lectures {
  id: GeneratedAlways<number>
  course_id: number
  position: number
  title: string
  questions_count: Generated<number>
  unresolved_count: Generated<number>
}

/** What the lectures of a course were before their last change. */
interface LectureUndos {
  course_id: number
  change: Generated<number>
  before: ColumnType<StoredLecture[], string, string>
  after: ColumnType<StoredLecture[], string, string>
  moved_from: number | null
  moved_to: number | null
  moved: Generated<number[]>
}

interface StoredLecture {
  id: number
  position: number
  title: string
}

interface CourseMembers {
  course_id: number
  person_id: number
  role: Role
  /** null: as the person's. */
  mail_rhythm: Rhythm | null
}

/** What somebody wrote in a course and was not deleted. */
interface CourseAuthors {
  course_id: number
  person_id: number
  questions_count: Generated<number>
  answers_count: Generated<number>
  /** Those of people who wrote very many, until then: src/forum/people/queries.ts. */
  older_until: OptionalTime
  older_questions: Generated<number>
  older_question_votes: Generated<number>
  older_answers: Generated<number>
  older_answer_votes: Generated<number>
  older_accepted: Generated<number>
  older_endorsed: Generated<number>
}

/** A role given to an address that its owner has not confirmed yet. */
interface PendingRoles {
  course_id: number
  email: string
  role: Role
  given_at: DefaultTime
  /** As a list of members has it. */
  name: string | null
}

/** A role above learner that a list of members names, and nobody gave yet. */
interface AskedRoles {
  course_id: number
  email: string
  role: Role
  name: string | null
  asked_at: DefaultTime
}

/** A link by which people join. */
interface Invitations {
  id: GeneratedAlways<number>
  course_id: number
  role: Role
  token_hash: Buffer
  nonce: Buffer
  until: Date
  /** null: as many people as there are. */
  uses: number | null
  used: Generated<number>
  made_at: DefaultTime
  ended_at: OptionalTime
}

/** Courses, their lectures and their members. */
export interface CoursesTables {
  courses: Courses
  course_deletions: CourseDeletions
  categories: Categories
  lectures: Lectures
  lecture_undos: LectureUndos
  course_members: CourseMembers
  course_authors: CourseAuthors
  pending_roles: PendingRoles
  asked_roles: AskedRoles
  invitations: Invitations
}

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

/** The pages of a forum that its admins write. */
export const POLICY_NAMES = ['rules', 'privacy', 'contact'] as const
export type PolicyName = (typeof POLICY_NAMES)[number]

interface Policies {
  id: GeneratedAlways<number>
  /** null: a page of the forum. */
  course_id: number | null
  name: PolicyName
  language: Language
  body: string
  version: Generated<number>
  changed_at: DefaultTime
}

/** Rules, privacy and contact pages, and the rules of courses. */
export interface PoliciesTables {
  policies: Policies
}
