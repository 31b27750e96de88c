import { type RawBuilder, sql } from 'kysely'
import { type Cursor, FIRST_PAGE, pageOf } from '../../database/keyset.ts'
import type {
  Audience,
  CaseAbout,
  CaseReason,
  CaseState,
  Database,
  Language,
  MeasureKind,
  Reason,
  ReportReason,
  Role,
  Write,
} from '../../database/schema.ts'
import { type Actor, type CourseAct, reachOf } from '../../kernel/rights/rights.ts'
import {
  isCourseReadableByPerson,
  isReadableByPerson,
  isWhereItCounts,
  joinReader,
  readableTo,
  visibleTo,
} from '../../kernel/rights/visibility.ts'
import { isToldLast, joinTogether } from '../cases/outcomes.ts'
import { caseParts, caseSaid, caseStillHolds, joinCase } from '../cases/told.ts'
import {
  authorOfAnnouncement,
  isListening,
  joinAnnouncement,
  joinAnnouncer,
} from '../telling/announcement.ts'
import { type Channel, joinChannels } from '../telling/deliveries.ts'
import {
  type FreshPost,
  freshPosts,
  freshPostsJson,
  hearsOfPosts,
  isTellable,
  SAID_REASONS,
  type Said,
  saidOf,
} from '../telling/fresh.ts'
import { heldIn } from '../telling/held.ts'

/** What a notification says to its reader now. */
export interface Notified<Post = ToldPost> {
  /** The number of the email that it was asked for; otherwise its reader's. */
  readonly mail: number
  readonly id: number
  readonly reason: Reason | CaseReason
  readonly happenedAt: Date
  /** From when on it tells what came. */
  readonly since: Date
  readonly isSeen: boolean
  /** One of these three. */
  readonly questionId: number | null
  readonly announcementId: number | null
  readonly told: ToldCase | null
  /** Outcomes of the reader's reports that this tells, one for each post, the latest first, and how many there are; empty for others. */
  readonly together: readonly ToldCase[]
  readonly togetherCount: number
  readonly title: string
  readonly courseId: number
  readonly courseSlug: string
  readonly courseTitle: string
  readonly courseLanguage: Language
  readonly timeZone: string
  /** The reader's in the course. */
  readonly role: Role | null
  /** The strongest of what is told beside posts, as far as it is still so. */
  readonly said: Said | null
  /** Of 'promise': how many questions of the course wait too long, of 'held' how many posts to be let through, 1,000 at most; otherwise null. */
  readonly waitingCount: number | null
  /** What came, oldest first; empty where only an answer was accepted. */
  readonly posts: readonly Post[]
}

/** A case, as far as whoever is told of it may know. */
export interface ToldCase {
  readonly id: number
  readonly state: CaseState
  readonly about: CaseAbout
  readonly ground: ReportReason
  /** The measure that it tells of; null: none was taken, or it is told to staff. */
  readonly measure: {
    readonly id: number
    readonly kind: MeasureKind
    readonly is_everywhere: boolean
    readonly hasEnded: boolean
    readonly outcome: 'keep' | 'lift' | null
  } | null
  /** The note of staff to the reporters, or their answer to an objection of one; '' for others. */
  readonly note: string
  /** Of who reported it: their report; null: they are told something else, or it is past its term. */
  readonly report: number | null
  readonly reportedAt: string | null
  /** What became of their objection to the outcome; null: they were told the outcome last. */
  readonly reply: 'keep' | 'lift' | null
  /** The question that the post belongs to; null: they may no longer read it, or it is told to staff. */
  readonly question: { readonly id: number; readonly title: string; readonly audience: Audience } | null
}

export interface ToldPost extends FreshPost {
  /** The beginning of its HTML; of an announcement of its Markdown. */
  readonly text: string
}

export const SHOW = ['all', 'unread'] as const
export type Show = (typeof SHOW)[number]
export const NOTIFICATIONS_PER_PAGE = 30
const MAX_POSTS = 20

export function unseenNotifications(db: Database, personId: number, after: Cursor | null) {
  return listOf(db, personId, { isAsked: sql`notice.seen_at is null`, after })
}

/** The unseen ones first, then a page of the others; the pages after the first have only these. */
export async function listNotifications(db: Database, personId: number, show: Show, after: Cursor | null) {
  const isUnread = show === 'unread'
  const unseen = isUnread || after === null ? await unseenNotifications(db, personId, after) : []
  const listed = isUnread
    ? unseen
    : await listOf(db, personId, { isAsked: sql`notice.seen_at is not null`, after })
  const page = pageOf(listed, NOTIFICATIONS_PER_PAGE, FIRST_PAGE, ({ happenedAt }) => happenedAt)
  return isUnread ? page : { ...page, rows: [...unseen.slice(0, NOTIFICATIONS_PER_PAGE), ...page.rows] }
}

export function latestNotifications(db: Database, personId: number, size: number) {
  return listOf(db, personId, { size })
}

/** One of theirs as `channel` tells it, null: the bell. @returns null: there is no such, or nothing of it is left to tell */
export async function oneNotification(
  db: Database | Write,
  personId: number,
  id: number,
  channel: Channel | null = null,
): Promise<Notified | null> {
  const [one] = await listOf(db, personId, { isAsked: sql`notice.id = ${id}`, channel })
  return one ?? null
}

/**
 * Limits a program to notifications that `viewer`, who has fewer rights than their account, may have: about posts that they may read
 * now, of their course where they have but one, and of what waits for staff where they are staff.
 */
export function notificationsSeenBy(
  db: Database,
  viewer: Actor,
  { after, size }: { readonly after: Cursor | null; readonly size: number },
): Promise<Notified[]> {
  const isStaff = (act: CourseAct) => {
    const { isAll, courseIds } = reachOf(viewer, act)
    return isAll ? sql`true` : sql`course.id = any(${courseIds}::bigint[])`
  }
  const isThere = isWhereItCounts(viewer)
  const among = {
    questions: sql<boolean>`${isThere} and ${readableTo(viewer)} and (notice.reason not in ('promise', 'held') or ${isStaff('work-desk')})`,
    announcements: sql<boolean>`${isThere} and ${visibleTo(viewer)}`,
    cases: sql<boolean>`${isThere} and (notice.reason not in ('case', 'objection') or ${isStaff('moderate')})`,
  }
  return listOf(db, viewer.id, { after, size, among })
}

function listOf(
  db: Database | Write,
  personId: number,
  {
    isAsked = ALL,
    after = null,
    size = NOTIFICATIONS_PER_PAGE + 1,
    ...telling
  }: Partial<Pick<Telling, 'isAsked' | 'size' | 'channel' | 'among'>> & { after?: Cursor | null },
): Promise<Notified[]> {
  const beyond =
    after === null
      ? sql`true`
      : sql`(notice.happened_at, notice.id) < (${new Date(after.value)}::timestamptz, ${after.id}::bigint)`
  return whatTheySay<ToldPost>(db, {
    notices: sql`notifications as notice
      cross join lateral (select notice.person_id as mail, notice.since_at as since, 'infinity'::timestamptz as until) as span`,
    isAsked: sql<boolean>`notice.person_id = ${personId} and ${isAsked} and ${beyond}`,
    texts: { post: sql`'text', left(post.body_html, 800)`, news: sql`'text', left(news.body, 800)` },
    ...{ size, ...telling },
  })
}

/** A notification that a channel tells what came of from `since` to `until`, ISO 8601; left out: till now. */
export interface Asked {
  /** A number of the email that it is for; left out: its reader's. */
  readonly mail?: number
  readonly id: number
  readonly since: Date | string
  readonly until?: string
}

/** What is new in these for a channel: one that is not among them has nothing to tell. */
export async function newsOf<Post>(
  write: Write,
  channel: Channel,
  asked: readonly Asked[],
  texts: Telling['texts'],
): Promise<Notified<Post>[]> {
  if (asked.length === 0) return []
  return whatTheySay<Post>(write, {
    notices: sql`
      jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as asked (mail bigint, id bigint, since timestamptz, until timestamptz)
      join notifications as notice on notice.id = asked.id
      cross join lateral (select coalesce(asked.mail, notice.person_id) as mail, greatest(asked.since, notice.since_at) as since,
        coalesce(asked.until, 'infinity') as until) as span`,
    ...{ channel, texts },
  })
}

const ALL = sql<boolean>`true`
const EVERYTHING = { questions: ALL, announcements: ALL, cases: ALL }

interface Telling {
  /** Tables after `from`: alias `notice`, and `span`, the `mail` that it is for, and `since` and `until` when it tells. */
  readonly notices: RawBuilder<unknown>
  /** Left out: all of them. */
  readonly isAsked?: RawBuilder<boolean>
  /** Left out: the bell, which tells whatever there is. The others go by what the reader wants to be told of there. */
  readonly channel?: Channel | null
  /** Fields of a post, for jsonb_build_object: of alias `post` in a question, and of alias `news`. */
  readonly texts: { readonly post: RawBuilder<unknown>; readonly news: RawBuilder<unknown> }
  readonly among?: typeof EVERYTHING
  /** Left out: all. */
  readonly size?: number
}

/** The bell tells whatever there is. Alias `way`: a channel; `followed`: whether the reader follows question `q`. */
const BELL = {
  ways: sql`cross join (select '{}'::text[] as off) as way`,
  isTold: ALL,
  isQuestionTold: ALL,
  arePostsTold: hearsOfPosts,
  isPostTold: ALL,
  isAnnouncementTold: ALL,
}

/** What the reader wants to be told of by a channel, of what they have not seen. */
const wishedBy = (channel: Channel): typeof BELL => ({
  ways: joinChannels,
  isTold: sql`way.channel = ${channel} and way.rhythm <> 'never' and notice.seen_at is null`,
  isQuestionTold: sql`followed.level is distinct from 'mute'`,
  arePostsTold: sql`true`,
  isPostTold: sql`not post.reason = any(way.off) and (post.reason in ('question', 'mention') or followed.level = 'follow')`,
  isAnnouncementTold: sql`not notice.reason = any(way.off) and ${isListening}`,
})

/**
 * What notifications say to their readers now, with their rights, the latest first: for the bell, the page, programs, emails and pushes.
 * One that is not among them has nothing to tell: it is gone, or muted, switched off or seen where a channel tells it.
 */
async function whatTheySay<Post>(
  db: Database | Write,
  { notices, isAsked = ALL, channel = null, texts, among = EVERYTHING, size }: Telling,
): Promise<Notified<Post>[]> {
  const { ways, ...wished } = channel === null ? BELL : wishedBy(channel)
  const latest = sql`order by notice.happened_at desc, notice.id desc limit ${size ?? null}::bigint`
  const said = saidOf(
    sql`span.since`,
    (reason) => sql<boolean>`not ${reason} = any(way.off)`,
    sql`span.until`,
  )
  const fresh = freshPosts(sql`span.since`, MAX_POSTS, sql`span.until`)
  const questions = sql`
    select span.mail, notice.id, case when notice.reason = any(${SAID_REASONS}::text[])
        then coalesce(beside.said, 'followed') else notice.reason end as reason,
      notice.happened_at as "happenedAt", span.since, notice.seen_at is not null as "isSeen",
      q.id as "questionId", null::bigint as "announcementId", null::jsonb as told, '[]'::jsonb as together, 0 as "togetherCount", q.title, course.id as "courseId", course.slug as "courseSlug",
      course.title as "courseTitle", course.language as "courseLanguage", course.time_zone as "timeZone", member.role, beside.said, came.posts,
      case when notice.reason = 'promise' then (select count(*) from (
        select from question_desk as late where late.course_id = q.course_id
          and late.waiting_since <= now() - course.promise_hours * interval '1 hour'
          and (late.snoozed_until is null or late.snoozed_until <= now()) limit 1000) as late)::integer
        when notice.reason = 'held' then (select count(*) from (${heldIn(sql`q.course_id`)} limit 1000) as held)::integer end as "waitingCount"
    from ${notices}
    join people as person on person.id = notice.person_id
    join questions as q on q.id = notice.question_id ${joinReader}
    left join question_follows as followed on followed.question_id = q.id and followed.person_id = person.id
    ${ways}
    cross join lateral (select ${said} as said) as beside
    cross join lateral (${freshPostsJson(texts.post, fresh)} where ${wished.isPostTold}) as came
    where ${isAsked} and ${wished.isTold} and ${wished.isQuestionTold} and ${isReadableByPerson} and ${isTellable(sql`beside.said`)} and ${among.questions}
      and (${wished.arePostsTold} and came.posts <> '[]' or beside.said is not null)
    ${latest}`
  const announcements = sql`
    select span.mail, notice.id, notice.reason, notice.happened_at, span.since, notice.seen_at is not null, null, news.id, null, '[]', 0, news.title,
      course.id, course.slug, course.title, course.language, course.time_zone, member.role, null,
      jsonb_build_array(jsonb_build_object('kind', 'announcement', 'id', news.id, 'reason', notice.reason,
        ${authorOfAnnouncement}, ${texts.news})), null
    from ${notices} ${joinAnnouncement} ${joinAnnouncer} ${ways}
    where ${isAsked} and ${wished.isTold} and ${wished.isAnnouncementTold} and ${isCourseReadableByPerson} and ${among.announcements}
    ${latest}`
  // No channel but the bell tells of a case: src/forum/cases/letters.ts writes of it.
  const cases = sql`
    select span.mail, notice.id, notice.reason, notice.happened_at, span.since, notice.seen_at is not null, null, null,
      ${caseSaid}, coalesce(bundle.reported, '[]'), coalesce(bundle.number, 0)::integer,
      coalesce(course.title, ''), coalesce(course.id, 0), coalesce(course.slug, ''), coalesce(course.title, ''), coalesce(course.language, 'en'),
      coalesce(course.time_zone, 'UTC'), null, null, '[]', null
    from ${notices} join people as person on person.id = notice.person_id ${joinCase}
    left join courses as course on course.id = matter.course_id
    ${caseParts} ${joinTogether(caseSaid, caseParts)}
    where ${isAsked} and notice.case_id is not null and ${caseStillHolds} and ${isToldLast} and ${among.cases}
    ${latest}`
  const kinds = channel === null ? [questions, announcements, cases] : [questions, announcements]
  const { rows } = await sql<Notified<Post>>`
    ${sql.join(
      kinds.map((kind) => sql`(${kind})`),
      sql` union all `,
    )}
    order by "happenedAt" desc, id desc limit ${size ?? null}::bigint`.execute(db)
  return rows
}
