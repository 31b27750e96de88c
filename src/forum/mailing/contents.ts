import { sql } from 'kysely'
import type { Language, Reason, Role, Write } from '../../database/schema.ts'
import { isReadableByPerson, joinReader } from '../../rights/readable-question.ts'
import type { AuthorRow } from '../authors/byline.ts'
import { authorOfPost, joinAuthor } from '../notifications/post-author.ts'
import { freshPosts, isHonoured } from '../telling/fresh.ts'

/** Somebody whom a mail tells what is new. */
export interface Reader {
  readonly id: number
  readonly email: string
  readonly isAdmin: boolean
  readonly owesSecondFactor: boolean
  readonly language: Language | null
  readonly timeZone: string | null
}

/** A question with what is new in it, as its reader may know it now. */
export interface News {
  /** Of the notification. */
  readonly id: number
  readonly reason: Reason
  readonly questionId: number
  readonly title: string
  readonly courseId: number
  readonly courseTitle: string
  readonly courseLanguage: Language
  readonly timeZone: string
  /** The reader's in the course. */
  readonly role: Role | null
  /** An answer of the reader's was accepted or endorsed, as `reason` says, and no mail has said so. */
  readonly isHonoured: boolean
  /** Oldest first. */
  readonly posts: readonly NewPost[]
}

export interface NewPost extends AuthorRow {
  readonly kind: 'question' | 'answer' | 'reply'
  readonly id: number
  readonly reason: Reason
  readonly body: string
  readonly html: string
  readonly writtenAt: string
}

/** Posts of one question in one mail: what is beyond them is read in the forum. */
const MAX_POSTS = 20

/** Notifications of a person that a mail may tell of now, locked: what is told of the same questions meanwhile waits. */
export async function lockDue(write: Write, personId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from notifications where person_id = ${personId} and due_at <= now() and seen_at is null
    order by id for update`.execute(write)
  return rows.map(({ id }) => id)
}

/** Who gets the mail; null: nobody does, as the address is not confirmed, came back three times, or is gone. */
export async function readerOf(write: Write, personId: number): Promise<Reader | null> {
  const { rows } = await sql<Reader>`
    select id, email, is_admin as "isAdmin", language, time_zone as "timeZone",
      exists (select from site_settings where staff_need_second_factor)
        and not exists (select from second_factors as app where app.person_id = people.id and app.confirmed_at is not null)
        and not exists (select from passkeys as passkey where passkey.person_id = people.id) as "owesSecondFactor"
    from people where id = ${personId} and email is not null and email_confirmed_at is not null and left_at is null
      and mail_stopped_for is distinct from email`.execute(write)
  return rows[0] ?? null
}

/** What is new in these, as the reader may read it and wants to be told of it: nothing that they muted or that is gone. */
export async function newsOf(write: Write, ids: readonly number[]): Promise<News[]> {
  const { rows } = await sql<News>`
    select notice.id, notice.reason, q.id as "questionId", q.title, course.id as "courseId", course.title as "courseTitle",
      course.language as "courseLanguage", course.time_zone as "timeZone", member.role, fresh.posts,
      not notice.reason = any(person.mails_off) and ${isHonoured} as "isHonoured"
    from notifications as notice
    join people as person on person.id = notice.person_id
    join questions as q on q.id = notice.question_id ${joinReader}
    left join question_follows as said on said.question_id = q.id and said.person_id = person.id
    cross join lateral (select coalesce(jsonb_agg(jsonb_build_object('kind', post.kind, 'id', post.id, 'reason', post.reason, 'body', post.body,
        'html', post.body_html, 'writtenAt', post.written_at, ${authorOfPost}) order by post.written_at, post.id), '[]') as posts
      from (${freshPosts(sql`notice.unmailed_since`, MAX_POSTS)}) as post ${joinAuthor}
      where not post.reason = any(person.mails_off) and (post.reason in ('question', 'mention') or said.level = 'follow')) as fresh
    where notice.id = any(${[...ids]}) and notice.unmailed_since is not null and ${isReadableByPerson}
      and said.level is distinct from 'mute' and coalesce(member.mail_rhythm, person.mail_rhythm) <> 'never'
    order by notice.unmailed_since, notice.id`.execute(write)
  return rows.filter(({ posts, isHonoured }) => posts.length > 0 || isHonoured)
}

/** Says that a mail told of these, or that there was nothing left to tell. */
export async function markMailed(
  write: Write,
  ids: readonly number[],
  told: readonly number[],
): Promise<void> {
  await sql`
    update notifications set due_at = null, unmailed_since = null,
      mailed_at = case when id = any(${[...told]}) then now() else mailed_at end
    where id = any(${[...ids]})`.execute(write)
}
