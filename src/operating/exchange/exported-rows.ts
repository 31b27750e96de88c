import { type RawBuilder, sql } from 'kysely'
import type { Database, Role, Write } from '../../database/schema.ts'
import { tagNamesOf } from '../../forum/tags/tagging.ts'
import { isThere } from '../../kernel/rights/visibility.ts'

/** Questions that are read at a time, with all below them. */
const QUESTIONS_AT_ONCE = 100

/** Neither deleted nor being brought in. */
const isAlive = (post: string) => sql`${sql.ref(`${post}.deleted_at`)} is null and ${isThere(post)}`

/** Which of the posts that are there are written, as conditions on an alias: of those below a question, for no post at all, too. */
export interface WrittenPosts {
  question(alias: string): RawBuilder<unknown>
  below(alias: string): RawBuilder<unknown>
}
export const ALL_POSTS: WrittenPosts = { question: () => sql`true`, below: () => sql`true` }

/** A post in whichever table: what an author wrote, and who they are to its readers. */
interface PostRow {
  readonly id: number
  readonly body: string
  readonly author_id: number
  readonly author_name: string
  readonly has_left: boolean
  readonly is_anonymous: boolean
  readonly stand_in: number | null
  readonly written_at: Date
  readonly edited_at: Date | null
  readonly edited_by: number | null
  readonly editor_name: string | null
  readonly has_editor_left: boolean | null
  readonly edit_reason: string | null
  readonly version: number
  readonly is_hidden: boolean
  readonly is_held: boolean
  readonly addresses: string[] | null
}

export type { PostRow }

/** An author whose account is gone is no one any more: their name is what is left. */
const COLUMNS = sql`post.id, post.body, post.author_id, author.display_name as author_name, author.left_at is not null as has_left,
  post.is_anonymous, stand_in.number as stand_in, post.written_at, post.edited_at, post.edited_by,
  editor.display_name as editor_name, editor.left_at is not null as has_editor_left, post.edit_reason, post.version,
  post.hidden_at is not null as is_hidden, post.held_at is not null as is_held, imported.addresses`
const joins = (kind: VersionRow['kind'], question: string) => sql`
  join people as author on author.id = post.author_id
  left join people as editor on editor.id = post.edited_by
  left join imported_posts as imported on ${sql.ref(`imported.${kind}_id`)} = post.id
  left join stand_ins as stand_in on stand_in.person_id = post.author_id and stand_in.question_id = ${sql.ref(question)}`

/** Only of accounts that are there: `by` of what somebody did as staff. */
const present = (column: string) =>
  sql`(select id from people where id = ${sql.ref(column)} and left_at is null)`

/** The ids of a course's questions, some at a time. Uses index questions_alive_of_course. */
export async function* questionIds(
  db: Write,
  courseId: number,
  { question }: WrittenPosts,
): AsyncGenerator<number[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number }>`
      select id from questions
      where course_id = ${courseId} and ${isAlive('questions')} and ${question('questions')} and id > ${after}
      order by id limit ${QUESTIONS_AT_ONCE}`.execute(db)
    const ids = rows.map(({ id }) => id)
    if (ids.length > 0) yield ids
    if (ids.length < QUESTIONS_AT_ONCE) return
    after = ids.at(-1) ?? after
  }
}

export interface QuestionRow extends PostRow {
  readonly title: string
  readonly tags: string[]
  readonly category_id: number
  readonly lecture_id: number | null
  readonly is_private: boolean
  readonly was_open: boolean
  readonly active_at: Date
  readonly status: 'unresolved' | 'resolved'
  readonly resolved_at: Date | null
  readonly reopened_at: Date | null
  readonly accepted_answer_id: number | null
  readonly duplicate_of: number | null
  readonly duplicate_by: number | null
  readonly answers_closed_at: Date | null
  readonly closing_reason: 'off-topic' | 'solved-elsewhere' | 'unclear' | 'heated' | null
  readonly pinned_until: Date | null
  readonly pinned_by: number | null
  readonly votes_count: number
  readonly views_count: number
}

/** An answer that was accepted and is deleted, and a duplicate of what is deleted or elsewhere, are in no export. */
export async function questionRows(db: Write, ids: readonly number[]): Promise<QuestionRow[]> {
  const { rows } = await sql<QuestionRow>`
    select ${COLUMNS}, post.title, ${tagNamesOf('post')} as tags, post.category_id, post.lecture_id,
      post.audience = 'staff' as is_private, post.was_open, post.active_at, post.status, post.resolved_at, post.reopened_at,
      (select id from answers where id = post.accepted_answer_id and ${isAlive('answers')}) as accepted_answer_id,
      (select id from questions as original
        where id = post.duplicate_of and ${isAlive('original')} and original.course_id = post.course_id) as duplicate_of,
      ${present('post.duplicate_by')} as duplicate_by, post.answers_closed_at, post.closing_reason,
      pin.until as pinned_until, ${present('pin.pinned_by')} as pinned_by, post.votes_count, post.views_count
    from questions as post ${joins('question', 'post.id')}
    left join pins as pin on pin.question_id = post.id and pin.until > now()
    where post.id = any(${ids}::bigint[]) order by post.id`.execute(db)
  return rows
}

export interface AnswerRow extends PostRow {
  readonly question_id: number
  readonly votes_count: number
  readonly endorsed_at: Date | null
  readonly endorsed_by: number | null
}

export async function answerRows(
  db: Write,
  questions: readonly number[],
  { below }: WrittenPosts,
): Promise<AnswerRow[]> {
  const { rows } = await sql<AnswerRow>`
    select ${COLUMNS}, post.question_id, post.votes_count, post.endorsed_at, ${present('post.endorsed_by')} as endorsed_by
    from answers as post ${joins('answer', 'post.question_id')}
    where post.question_id = any(${questions}::bigint[]) and ${isAlive('post')}
      and ${below('post')}
    order by post.question_id, post.id`.execute(db)
  return rows
}

export interface ReplyRow extends PostRow {
  readonly question_id: number
  readonly answer_id: number | null
}

/** Those under an answer that isn't written are out of sight with it. */
export async function replyRows(
  db: Write,
  questions: readonly number[],
  { below }: WrittenPosts,
): Promise<ReplyRow[]> {
  const { rows } = await sql<ReplyRow>`
    select ${COLUMNS}, post.question_id, post.answer_id
    from replies as post ${joins('reply', 'post.question_id')}
    left join answers as parent on parent.id = post.answer_id
    where post.question_id = any(${questions}::bigint[]) and ${isAlive('post')} and ${isAlive('parent')}
      and ${below('post')} and ${below('parent')}
    order by post.question_id, post.id`.execute(db)
  return rows
}

export interface VersionRow {
  readonly kind: 'question' | 'answer' | 'reply'
  readonly post_id: number
  readonly version: number
  readonly title: string | null
  readonly body: string | null
  readonly tags: string[] | null
  readonly written_by: number
  readonly writer_name: string
  readonly has_writer_left: boolean
  readonly written_at: Date
  readonly reason: string | null
  readonly redacted_at: Date | null
  readonly redacted_by: number | null
}

/** The earlier texts of posts. @param ids of each kind */
export async function versionRows(
  db: Write,
  ids: Readonly<Record<VersionRow['kind'], readonly number[]>>,
): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select case when kept.question_id is not null then 'question' when kept.answer_id is not null then 'answer' else 'reply' end as kind,
      coalesce(kept.question_id, kept.answer_id, kept.reply_id) as post_id, kept.version, kept.title, kept.body, kept.tags,
      kept.written_by, writer.display_name as writer_name, writer.left_at is not null as has_writer_left, kept.written_at, kept.reason,
      kept.redacted_at, ${present('kept.redacted_by')} as redacted_by
    from post_versions as kept join people as writer on writer.id = kept.written_by
    where kept.question_id = any(${ids.question}::bigint[]) or kept.answer_id = any(${ids.answer}::bigint[])
      or kept.reply_id = any(${ids.reply}::bigint[])
    order by kind, post_id, kept.version`.execute(db)
  return rows
}

export interface PersonRow {
  readonly id: number
  readonly name: string
  readonly email: string | null
  readonly role: Role | null
  readonly joined_at: Date
}

/**
 * Whom an export names, with their role here, else that of where they came from: who wrote what is in it, did something to it as staff, or is mentioned in it. Nobody who is only a member. An
 * address is an author's who confirmed it.
 */
export async function personRows(db: Write, courseId: number): Promise<PersonRow[]> {
  const { rows } = await sql<PersonRow>`
    with asked as (select * from questions where course_id = ${courseId} and ${isAlive('questions')}),
    answered as (
      select post.* from answers as post join asked on asked.id = post.question_id where ${isAlive('post')}),
    replied as (
      select post.* from replies as post join asked on asked.id = post.question_id
      left join answers as parent on parent.id = post.answer_id
      where ${isAlive('post')} and ${isAlive('parent')}),
    kept as (
      select version.* from post_versions as version
      where question_id in (select id from asked) or answer_id in (select id from answered) or reply_id in (select id from replied)),
    author as (
      select author_id as id from asked union select author_id from answered union select author_id from replied
      union select author_id from announcements where course_id = ${courseId}),
    named as (
      select id from author
      union select edited_by from asked union select edited_by from answered union select edited_by from replied
      union select duplicate_by from asked union select endorsed_by from answered
      union select written_by from kept union select redacted_by from kept
      union select pinned_by from pins where question_id in (select id from asked)
      union select person_id from mentions
      where question_id in (select id from asked) or answer_id in (select id from answered) or reply_id in (select id from replied))
    select person.id, person.display_name as name, coalesce(member.role, there.role) as role, person.joined_at,
      case when person.id not in (select id from author) then null when person.is_unclaimed then given.email
        when person.email_confirmed_at is not null then person.email end as email
    from people as person join named on named.id = person.id
    left join imported_addresses as given on given.person_id = person.id
    left join course_members as member on member.course_id = ${courseId} and member.person_id = person.id
    left join lateral (
      select role from imported_people where course_id = ${courseId} and person_id = person.id and role is not null
      order by role limit 1) as there on true
    where person.left_at is null order by person.id`.execute(db)
  return rows
}

/** The posts and questions of these that are in the export of a course. */
export async function exportedIds(
  db: Write,
  courseId: number,
  ids: Readonly<Record<VersionRow['kind'], readonly number[]>>,
  { question, below }: WrittenPosts,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select 'question/' || id as name from questions
    where id = any(${ids.question}::bigint[]) and course_id = ${courseId} and ${isAlive('questions')}
      and ${question('questions')}
    union all
    select 'answer/' || post.id from answers as post join questions as q on q.id = post.question_id
    where post.id = any(${ids.answer}::bigint[]) and q.course_id = ${courseId} and ${isAlive('q')} and ${isAlive('post')}
      and ${question('q')} and ${below('post')}
    union all
    select 'reply/' || post.id from replies as post join questions as q on q.id = post.question_id
    left join answers as parent on parent.id = post.answer_id
    where post.id = any(${ids.reply}::bigint[]) and q.course_id = ${courseId} and ${isAlive('q')}
      and ${isAlive('post')} and ${isAlive('parent')} and ${question('q')} and ${below('post')} and ${below('parent')}`.execute(
    db,
  )
  return new Set(rows.map(({ name }) => name))
}

export interface PictureRow {
  readonly name: string
  readonly fallback: string
  readonly alt: string
}

/** The pictures of these names that posts or announcements of the course show or showed: others are nobody's to hand on. */
export async function pictureRows(
  db: Database | Write,
  courseId: number,
  names: readonly string[],
): Promise<PictureRow[]> {
  const { rows } = await sql<PictureRow>`
    select image.name, image.fallback, image.alt from images as image
    where image.name = any(${names}::text[]) and exists (
      select from post_images as shown
      left join answers as answer on answer.id = shown.answer_id
      left join replies as reply on reply.id = shown.reply_id
      left join announcements as news on news.id = shown.announcement_id
      left join questions as q on q.id = coalesce(shown.question_id, answer.question_id, reply.question_id)
      where shown.image_id = image.id and ${courseId} in (q.course_id, news.course_id))
    order by image.id`.execute(db)
  return rows
}
