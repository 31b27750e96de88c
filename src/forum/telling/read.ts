import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { owner, ownOf, table } from '../../database/table.ts'
import { term } from '../../database/terms.ts'
import { ownPart } from '../../kernel/own-data.ts'
import { freshPosts } from './fresh.ts'
import { markCourseRead } from './opened-courses.ts'

export const readTables = [
  ownOf('question_reads', 'question_id', 'questions', { wins: 'mine.read_at > theirs.read_at' }),
  // After question_reads, which are folded into it.
  ownOf('course_reads', 'course_id', 'courses', { wins: 'mine.read_up_to > theirs.read_up_to' }),
]

export const notifications = table(
  'notifications',
  { person_id: owner },
  {
    own: {
      things: [['question_id'], ['announcement_id'], ['case_id']],
      parents: {
        question_id: 'questions',
        announcement_id: 'announcements',
        case_id: 'cases',
        first_answer_id: 'answers',
        first_reply_id: 'replies',
      },
      wins: 'mine.seen_at is null and theirs.seen_at is not null',
    },
    // Not while an email of it waits. Index notifications_old.
    expired: sql`happened_at < now() - ${term('notifications')} and not exists (
      select from deliveries where notification_id = notifications.id and waiting_since is not null)`,
  },
)

/**
 * Somebody has read a question, up to a time: what they were told of it is seen, unless something came later. An older time than
 * the one that is known changes nothing.
 */
export async function markRead(write: Write, questionId: number, personId: number, until: RawBuilder<Date>) {
  await noteReadUntil(write, questionId, personId, until)
  await sql`
    update notifications as notice set seen_at = now()
    from people as person, questions as q
    where notice.person_id = ${personId} and notice.question_id = ${questionId} and notice.seen_at is null
      and person.id = notice.person_id and q.id = notice.question_id
      and not exists (${freshPosts(sql`(${until}::timestamptz(3) + interval '1 millisecond')`, 1)})`.execute(
    write,
  )
}

/** The same where they were told nothing of it yet: it is their own, and new. */
export async function noteReadUntil(
  write: Write,
  questionId: number,
  personId: number,
  until: RawBuilder<Date>,
): Promise<void> {
  await sql`
    insert into question_reads as known (question_id, person_id, read_at)
    select ${questionId}::bigint, id, ${until}::timestamptz(3)
    from people where id = ${personId} and left_at is null for key share
    on conflict on constraint question_reads_pkey do update set read_at = excluded.read_at
    where known.read_at < excluded.read_at`.execute(write)
}

export function noteRead(db: Database, questionId: number, personId: number, until: RawBuilder<Date>) {
  return db.transaction().execute((write) => markRead(write, questionId, personId, until))
}

/** Marks one thing told as seen. @returns what it is about, one of the three; undefined: it is not theirs */
export function markSeen(write: Write, id: number, personId: number) {
  return write
    .updateTable('notifications')
    .set({ seen_at: sql`coalesce(seen_at, now())` })
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .returning(['question_id as questionId', 'announcement_id as announcementId', 'case_id as caseId'])
    .executeTakeFirst()
}

/** An update that marks what they were told as seen. */
const seeingAll = (db: Database | Write, personId: number) =>
  db
    .updateTable('notifications')
    .set({ seen_at: sql`now()` })
    .where('person_id', '=', personId)
    .where('seen_at', 'is', null)

export async function markAllSeen(write: Write, personId: number): Promise<void> {
  await seeingAll(write, personId).execute()
}

export async function markAnnouncementRead(db: Database, announcementId: number, personId: number) {
  await seeingAll(db, personId).where('announcement_id', '=', announcementId).execute()
}

/**
 * Somebody has read all there is by now in a course, or in every course they have opened: nothing in it is unread, and what they
 * were told of its questions is seen.
 * @param courseId null: every course
 */
export function noteAllRead(db: Database, courseId: number | null, personId: number): Promise<void> {
  const inCourse = courseId === null ? sql`true` : sql`q.course_id = ${courseId}`
  return db.transaction().execute(async (write) => {
    if (courseId !== null) await markCourseRead(write, courseId, personId, sql`now()`)
    else
      await sql`update course_reads set read_up_to = now()
        where person_id = ${personId} and read_up_to < now()`.execute(write)
    await sql`
      update notifications as notice set seen_at = now()
      from questions as q
      where notice.person_id = ${personId} and notice.seen_at is null and q.id = notice.question_id
        and ${inCourse}`.execute(write)
  })
}

/** By the numbers of questions and courses: titles are told where the person may read them, among follows and posts. */
export const ownReads = [
  ownPart('notifications', (db, { id: personId }) =>
    db
      .selectFrom('notifications')
      .select(['question_id as question', 'announcement_id as announcement', 'reason', 'count'])
      .select(['happened_at as happenedAt'])
      .select('seen_at as seenAt')
      .select(
        sql<Date | null>`(
        select max(sent_at) from deliveries where notification_id = notifications.id)`.as('mailedAt'),
      )
      .where('person_id', '=', personId)
      .orderBy('id')
      .execute(),
  ),
  ownPart('reads', (db, { id: personId }) =>
    db
      .selectFrom('question_reads')
      .select(['question_id as question', 'read_at as readAt'])
      .where('person_id', '=', personId)
      .orderBy('question_id')
      .execute(),
  ),
  ownPart('coursesRead', (db, { id: personId }) =>
    db
      .selectFrom('course_reads')
      .select(['course_reads.course_id as course', 'course_reads.read_up_to as readUpTo'])
      .where('course_reads.person_id', '=', personId)
      .orderBy('course_reads.course_id')
      .execute(),
  ),
]
