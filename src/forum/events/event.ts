import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { MAX_SWEPT_ROWS, term } from '../../database/terms.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { couldReadAs, readableTo, shownTo } from '../../kernel/rights/visibility.ts'
import type { EventLog } from './cursor.ts'

/** In the order of the documentation. */
export const EVENT_TYPES = [
  ...(['created', 'edited', 'removed', 'restored', 'resolved', 'reopened', 'closed', 'moved'] as const).map(
    (what) => `question.${what}` as const,
  ),
  ...(['created', 'edited', 'removed', 'restored', 'accepted', 'unaccepted', 'endorsed'] as const).map(
    (what) => `answer.${what}` as const,
  ),
  ...(['created', 'edited', 'removed', 'restored'] as const).map((what) => `reply.${what}` as const),
  ...(['announcement.posted', 'announcement.corrected', 'course.imported'] as const),
]
export type EventType = (typeof EVENT_TYPES)[number]

/** An event as it is read: ids, and what its address is made of. */
export interface EventRecord {
  readonly number: number
  readonly type: EventType
  readonly at: Date
  readonly course: string
  readonly question: number | null
  readonly answer: number | null
  readonly reply: number | null
  readonly announcement: number | null
  /** Of its question or announcement; null: of none, or it was removed. */
  readonly title: string | null
  readonly isPrivate: boolean
}

/** Events that are looked at for one page, whoever may read them. */
const MAX_SCANNED = 1000

export interface Asked {
  /** The number of the last one that is known. */
  readonly after: number
  /** null: of all courses. */
  readonly courseId: number | null
  readonly limit: number
}

/**
 * What happened after a number, as somebody may read it now, in order. A page ends after `limit` events, or where so many were looked at.
 * @returns `through`: the number of the last one that is known then
 */
export async function eventsAfter(db: Database, viewer: Actor | null, log: EventLog, asked: Asked) {
  const { after, courseId, limit } = asked
  const inCourse = courseId === null ? sql`true` : sql`event.course_id = ${courseId}`
  const end = await endOfScan(db, log, after, inCourse)
  const { rows } = await sql<EventRecord>`
    select event.number, event.type, event.happened_at as at, course.slug as course, event.question_id as question,
      event.answer_id as answer, event.reply_id as reply, event.announcement_id as announcement,
      case when not ${isRemoval} then coalesce(q.title, news.title) end as title,
      coalesce(q.audience = 'staff', false) as "isPrivate"
    from events as event
    join courses as course on course.id = event.course_id
    left join questions as q on q.id = event.question_id
    left join answers as answer on answer.id = event.answer_id
    left join replies as reply on reply.id = event.reply_id
    left join announcements as news on news.id = event.announcement_id
    where event.number > ${after} and event.number <= ${end} and ${inCourse}
      and ${couldReadAs(viewer, sql`event.audience`)} and (${isRemoval} or ${isThere(viewer)})
    order by event.number limit ${limit + 1}`.execute(db)
  const kept = rows.slice(0, limit)
  const through = rows.length > limit ? (kept.at(-1)?.number ?? end) : end
  return { rows: kept, through, hasMore: through < log.numberedTo }
}

/** The number up to which a page looks. Indexes: events_number_once, events_course, events_question. */
export async function endOfScan(db: Database, log: EventLog, after: number, isAsked: RawBuilder<unknown>) {
  const { rows } = await sql<{ number: number }>`
    select event.number from events as event
    where ${isAsked} and event.number > ${after} and event.number <= ${log.numberedTo}
    order by event.number offset ${MAX_SCANNED - 1} limit 1`.execute(db)
  return rows[0]?.number ?? log.numberedTo
}

const isRemoval = sql<boolean>`event.type like '%.removed'`

/** Whether what an event is about is there for somebody now, where it happened: as the API shows it. */
function isThere(viewer: Actor | null): RawBuilder<boolean> {
  return sql<boolean>`(case
    when event.question_id is not null then q.course_id = event.course_id and ${readableTo(viewer)} and ${shownTo(viewer, 'q')}
      and (event.answer_id is null or ${shownTo(viewer, 'answer')})
      and (event.reply_id is null or ${shownTo(viewer, 'reply')})
    else event.announcement_id is null or news.id is not null end)`
}

/** An import is told of once, and none of its posts: whoever follows the course reads it again. */
export async function noteImport(write: Write, courseId: number): Promise<void> {
  await write
    .insertInto('events')
    .values({ type: 'course.imported', course_id: courseId, audience: 'course' })
    .execute()
}

/** What a new course comes with happened to nobody. */
export async function forgetEvents(write: Write, courseId: number): Promise<void> {
  await write.deleteFrom('events').where('course_id', '=', courseId).execute()
}

/** Deletes events whose term is over; a cursor before them has expired then. @returns how many */
export async function sweepEvents(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from events where id = any(array(
        select id from events where happened_at < now() - ${term('events')} and number is not null
        limit ${MAX_SWEPT_ROWS} for update skip locked))
      returning number),
    noted as (
      update event_log set forgotten_to = greatest(forgotten_to, (select max(number) from gone))
      where exists (select from gone))
    select count(*) as count from gone`.execute(db)
  return rows[0]?.count ?? 0
}
