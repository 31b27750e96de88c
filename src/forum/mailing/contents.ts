import { type RawBuilder, sql } from 'kysely'
import type { Language, Role, Write } from '../../database/schema.ts'
import { owesSecondFactor } from '../../kernel/rights/person.ts'
import { isCourseReadableByPerson, isReadableByPerson, joinReader } from '../../kernel/rights/visibility.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import {
  announcementDue,
  authorOfAnnouncement,
  isListening,
  joinAnnouncement,
  joinAnnouncer,
} from '../telling/announcement.ts'
import { type FreshPost, freshPosts, freshPostsJson, type Said, saidOf } from '../telling/fresh.ts'

export interface Reader {
  readonly id: number
  readonly email: string
  readonly isAdmin: boolean
  readonly owesSecondFactor: boolean
  readonly language: Language | null
  readonly timeZone: string | null
}

/** A question with what is new in it, or an announcement, as its reader may know it now. */
export interface News {
  /** Which mail it is for: the number that was asked with. */
  readonly mail: number
  readonly id: number
  readonly kind: 'question' | 'announcement'
  readonly subjectId: number
  readonly title: string
  readonly courseId: number
  readonly courseTitle: string
  readonly courseLanguage: Language
  readonly timeZone: string
  readonly role: Role | null
  /** That an answer of the reader's was accepted or endorsed, or the question waits too long, and no mail has said so. */
  readonly said: Said | null
  readonly posts: readonly NewPost[]
}

export interface NewPost extends FreshPost {
  readonly body: string
  readonly html: string
  readonly writtenAt: string
}

/** Posts of one question in one mail: what is beyond them is read in the forum. */
const MAX_POSTS = 20

/** A notification that a mail tells of: `mails.tells`. */
export interface Told {
  readonly id: number
  /** ISO 8601: the mail tells what came then or later. */
  readonly since: string
}

export interface Asked extends Told {
  /** A number of the mail among those that are asked for together. */
  readonly mail: number
  /** ISO 8601: what came later is not taken; left out: all is. */
  readonly until?: string
}

/**
 * The priority of the mail that tells of a notification, which has a mail to come: 2 for an announcement, and for what comes daily or
 * weekly. As index notifications_due has it.
 */
export const priorityOfNotice: RawBuilder<number> = sql`
  (case when announcement_id is null and due_at <= unmailed_since then 1 else 2 end)`

export interface Due extends Told {
  readonly personId: number
  readonly priority: number
}

/**
 * Notifications of these people that a mail may tell of now, locked, person by person as a post tells them: what is told of the same
 * questions meanwhile waits.
 */
export async function lockDue(write: Write, people: readonly number[]): Promise<Due[]> {
  const { rows } = await sql<Omit<Due, 'since'> & { since: Date }>`
    select id, person_id as "personId", unmailed_since as since, ${priorityOfNotice} as priority from notifications
    where person_id = any(${[...people]}::bigint[]) and due_at <= now() and seen_at is null
    order by person_id, id for update`.execute(write)
  return rows.map(({ since, ...due }) => ({ ...due, since: since.toISOString() }))
}

/** Those of these people who get mail, by their ids: not where the address is not confirmed, came back three times, or is gone. */
export async function readersOf(write: Write, people: readonly number[]) {
  const { rows } = await sql<Reader>`
    select id, email, is_admin as "isAdmin", language, time_zone as "timeZone",
      ${owesSecondFactor} as "owesSecondFactor"
    from people as person
    where id = any(${[...people]}::bigint[]) and email is not null and email_confirmed_at is not null and left_at is null
      and mail_stopped_for is distinct from email`.execute(write)
  return new Map(rows.map((reader) => [reader.id, reader]))
}

const isWished = (reason: Said) => sql<boolean>`not ${reason} = any(person.mails_off)`

/** Joins `notice` with the time that a mail tells of it from: not what its person has seen meanwhile. */
const joinTold = (told: readonly Asked[]) => sql`
  join jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as told (mail bigint, id bigint, since timestamptz, until timestamptz)
    on told.id = notice.id and notice.seen_at is null
  cross join lateral (
    select greatest(told.since, notice.since_at) as at, coalesce(told.until, 'infinity') as until) as first`
const SINCE = sql`first.at`
/** Nothing that comes later is in the mail: the next one tells it. */
const UNTIL = sql`first.until`
const TEXTS = sql`'body', post.body, 'html', post.body_html, 'writtenAt', post.written_at`

/** What is new in these, announcements first, by mail: one that is not among them has nothing to tell. */
export async function newsByMail(
  write: Write,
  told: readonly Asked[],
): Promise<ReadonlyMap<number, readonly News[]>> {
  if (told.length === 0) return new Map()
  const news = [...(await announcementsOf(write, told)), ...(await newsOf(write, told))]
  return Map.groupBy(news, ({ mail }) => mail)
}

/** What is new in questions, as the reader may read it now and wants to be told of it: nothing that they muted, that they saw or that is gone. */
async function newsOf(write: Write, told: readonly Asked[]): Promise<News[]> {
  const { rows } = await sql<News>`
    select told.mail, notice.id, 'question' as kind, q.id as "subjectId", q.title, course.id as "courseId", course.title as "courseTitle",
      course.language as "courseLanguage", course.time_zone as "timeZone", member.role, fresh.posts,
      ${saidOf(SINCE, isWished, UNTIL)} as said
    from notifications as notice ${joinTold(told)}
    join people as person on person.id = notice.person_id
    join questions as q on q.id = notice.question_id ${joinReader}
    left join question_follows as said on said.question_id = q.id and said.person_id = person.id
    cross join lateral (
      ${freshPostsJson(TEXTS, freshPosts(SINCE, MAX_POSTS, UNTIL))}
      where not post.reason = any(person.mails_off) and (post.reason in ('question', 'mention') or said.level = 'follow')) as fresh
    where ${isReadableByPerson} and q.is_shown
      and said.level is distinct from 'mute' and coalesce(member.mail_rhythm, person.mail_rhythm) <> 'never'
    order by told.since, notice.id`.execute(write)
  return rows.filter(({ posts, said }) => posts.length > 0 || said !== null)
}

/** The announcements among these, as the reader may read them and wants to be told of them: not of a course that they left. */
async function announcementsOf(write: Write, told: readonly Asked[]): Promise<News[]> {
  const { rows } = await sql<News>`
    select told.mail, notice.id, 'announcement' as kind, news.id as "subjectId", news.title, course.id as "courseId",
      course.title as "courseTitle", course.language as "courseLanguage", course.time_zone as "timeZone", member.role, null as said,
      jsonb_build_array(jsonb_build_object('kind', 'announcement', 'id', news.id, 'reason', notice.reason, 'body', news.body,
        'writtenAt', news.published_at, ${authorOfAnnouncement})) as posts
    from notifications as notice ${joinTold(told)} ${joinAnnouncement} ${joinAnnouncer}
    where ${isCourseReadableByPerson} and ${announcementDue} is not null and ${isListening}
    order by told.since, notice.id`.execute(write)
  const bodies = new Set(rows.flatMap(({ posts }) => posts.map(({ body }) => body)))
  // The same announcement goes to many.
  const texts = await prepareMarkdown([...bodies])
  const rendered = new Map(texts.map(({ source, html }) => [source, html]))
  return rows.map((news) => ({
    ...news,
    posts: news.posts.map((post) => ({ ...post, html: rendered.get(post.body) ?? '' })),
  }))
}

/**
 * Says that a mail told of these, or that there was nothing left to tell.
 * @param told by a mail or a push: a name that it has can't be hidden any more (posts/source.ts)
 */
export async function markMailed(write: Write, ids: readonly number[], told: readonly number[]) {
  await sql`
    update notifications set due_at = null, unmailed_since = null,
      mailed_at = case when id = any(${[...told]}) then now() else mailed_at end
    where id = any(${[...ids]})`.execute(write)
}
