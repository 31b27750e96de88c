import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely'
import type { DefaultTime, OptionalTime } from './columns.ts'

export type Status = 'unresolved' | 'resolved'
/** Who reads a question and everything under it; 'staff': its asker and the staff of its course. */
export type Audience = 'course' | 'staff'

/** What questions, answers and replies have in common. */
interface Post {
  id: GeneratedAlways<number>
  author_id: number
  body: string
  body_html: string
  renderer_version: number
  written_at: DefaultTime
  edited_at: OptionalTime
  /** Whose edit made the present text; null: nobody edited it. */
  edited_by: number | null
  edit_reason: string | null
  deleted_at: OptionalTime
  deleted_by: number | null
  /** Since when it waits to be let through. */
  held_at: OptionalTime
  /** Since when moderators hide it: forum/posts/removal.ts. */
  hidden_at: OptionalTime
  /** Neither deleted nor held nor hidden; kept by a trigger. Who else may see it: shownTo in kernel/rights/visibility.ts. */
  is_shown: GeneratedAlways<boolean>
  /** When the text was removed for good: forum/purging/leavers-posts.ts. */
  purged_at: OptionalTime
  version: Generated<number>
  is_imported: Generated<boolean>
  /** Classmates see a stand-in name: src/forum/authors/byline.ts. */
  is_anonymous: Generated<boolean>
  /** The text says @staff. */
  calls_staff: Generated<boolean>
}

interface Questions extends Post {
  course_id: number
  category_id: number
  lecture_id: number | null
  title: string
  status: Generated<Status>
  accepted_answer_id: number | null
  answers_count: Generated<number>
  votes_count: Generated<number>
  imported_votes_count: Generated<number>
  views_count: Generated<number>
  active_at: DefaultTime
  /** null: not resolved, or nobody noted when. */
  resolved_at: OptionalTime
  /** Noted by a trigger. */
  reopened_at: OptionalTime
  /** When it became resolved or a duplicate; kept by a trigger. */
  closed_at: GeneratedAlways<Date | null>
  duplicate_of: number | null
  duplicate_by: number | null
  /** 0 unresolved, 1 unresolved and unanswered, 2 resolved, 3 resolved and unanswered. */
  state: GeneratedAlways<number>
  audience: Generated<Audience>
  /** false: private from its first moment on. */
  was_open: Generated<boolean>
  /** Since when only staff answer it; null: who may answer in the course. */
  answers_closed_at: OptionalTime
  /** Shown, and not private; kept by a trigger: what shared lists, counts, tags and search may know of. */
  is_listed: GeneratedAlways<boolean>
}

/** Who is which "Anonymous 1" on a question's page. */
interface StandIns {
  question_id: number
  person_id: number
  number: number
}

interface Answers extends Post {
  question_id: number
  endorsed_by: number | null
  endorsed_at: OptionalTime
  was_accepted: Generated<boolean>
  votes_count: Generated<number>
  imported_votes_count: Generated<number>
}

interface Replies extends Post {
  question_id: number
  answer_id: number | null
}

interface QuestionVotes {
  question_id: number
  person_id: number
  voted_at: DefaultTime
}

interface AnswerVotes {
  answer_id: number
  person_id: number
  voted_at: DefaultTime
}

interface QuestionViews {
  question_id: number
  day: string
  visitor: Buffer
  network: Buffer | null
  seen_at: DefaultTime
}

/** Questions, answers, replies, and what people do with them. */
export interface PostsTables {
  questions: Questions
  answers: Answers
  replies: Replies
  stand_ins: StandIns
  question_votes: QuestionVotes
  answer_votes: AnswerVotes
  question_views: QuestionViews
}

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

/** An uploaded picture: db/schema/tables/04_posts.sql. */
interface Images {
  id: GeneratedAlways<number>
  name: string
  /** null: whose account is gone. */
  uploader_id: number | null
  sha256: Buffer
  webp_sha256: Buffer | null
  fallback_sha256: Buffer | null
  fallback: 'png' | 'jpg' | 'gif'
  bytes: number
  alt: string
  uploaded_at: DefaultTime
}

/** A post or an announcement that shows a picture, or an earlier version of which did. */
interface PostImages {
  image_id: number
  question_id: number | null
  answer_id: number | null
  reply_id: number | null
  announcement_id: number | null
  is_shown: Generated<boolean>
}

/** A backup that was restored into this database. */
interface Restores {
  backup_sha256: Buffer
  restored_at: DefaultTime
}

export interface PicturesTables {
  restores: Restores
  images: Images
  post_images: PostImages
}

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
