import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueueDue } from '../../jobs/table.ts'
import { heldDue, notifyOfHeld } from './held.ts'
import { notify, onePerson, staffToNotify } from './notify.ts'

const PROMISE = 'promise'

/** The jobs that tell staff of what waits too long: of a course's longest one a day, whose id is the key. */
export const promiseKind = (db: Database): Kind =>
  reminding(db, PROMISE, sql`select question_id as key, due_at as at from due_questions`, notifyOfPromise)

const CLARIFICATION = 'clarification'
const DAYS = 3

/** Alias `desk`, and `course`, its course. Index: question_desk_asker. */
const isDue = sql<boolean>`desk.asker_since <= now() - make_interval(days => ${sql.lit(DAYS)})
  and desk.reminded_since is distinct from desk.asker_since and course.archived_at is null`

/** The jobs that remind askers of what staff asked back: one for each question, whose id is its key. */
export function clarificationKind(db: Database): Kind {
  const due = sql`select desk.question_id as key, desk.asker_since + make_interval(days => ${sql.lit(DAYS)}) as at
    from courses as course join question_desk as desk on desk.course_id = course.id where ${isDue}`
  return reminding(db, CLARIFICATION, due, remindAsker)
}

/** The jobs that tell staff of what waits to be let through: one for each course, whose id is its key. */
export const heldKind = (db: Database): Kind => reminding(db, 'held', heldDue, notifyOfHeld)

/** @param due the keys and times of what is due; it may not be any more when `remind` gets the key, in a transaction */
function reminding(
  db: Database,
  name: string,
  due: RawBuilder<unknown>,
  remind: (write: Write, id: number) => Promise<void>,
): Kind {
  return {
    name,
    concurrency: 1,
    batch: 1,
    timeout: 30_000,
    plan: () => enqueueDue(db, name, due),
    run: ([job]) => db.transaction().execute((write) => remind(write, Number(job?.key))),
  }
}

/**
 * Tells staff of a question that has waited for longer than its course promises, once for each turn and of one question a course
 * and day: whoever has taken the question, and, first of the day, the next of the course's staff, so that somebody knows when the
 * first does nothing. Next is who was told the longest ago, those who follow the course's questions before the others. Two
 * processes tell of a course one after the other.
 */
async function notifyOfPromise(write: Write, id: number): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtext('promise'), course_id::integer)
    from questions where id = ${id}`.execute(write)
  const { rows } = await sql<{
    courseId: number
    assigneeId: number | null
    today: string
    isFirst: boolean
  }>`
    select desk.course_id as "courseId", desk.assignee_id as "assigneeId", day.today::text as today,
      not exists (select from question_desk as told
        where told.course_id = desk.course_id and told.told_due_on = day.today) as "isFirst"
    from due_questions as due join question_desk as desk on desk.question_id = due.question_id
    join courses as course on course.id = due.course_id
    cross join lateral (select (now() at time zone course.time_zone)::date as today) as day
    where due.question_id = ${id} for update of desk skip locked`.execute(write)
  const [due] = rows
  if (due === undefined) return
  const { courseId, assigneeId, today, isFirst } = due
  const next = sql`(
    select staff.person_id
    from ${staffToNotify(sql`${courseId}`, sql`(select author_id from questions where id = ${id})`)} as staff
    left join question_follows as muted on muted.question_id = ${id} and muted.person_id = staff.person_id
    where ${isFirst} and staff.person_id is distinct from ${assigneeId}::bigint and muted.level is distinct from 'mute'
    order by staff.follows desc, (
      select max(earlier.overdue_at) from notifications as earlier join questions as about on about.id = earlier.question_id
      where earlier.person_id = staff.person_id and about.course_id = ${courseId}
    ) nulls first, staff.person_id
    limit 1)`
  const told = sql`${onePerson(next, 'promise')} union all ${onePerson(sql`${assigneeId}`, 'promise')}`
  await notify(write, { questionId: id, actorId: null, at: sql<Date>`clock_timestamp()` }, told)
  await sql`
    update question_desk set told_due_since = waiting_since, told_due_on = case when exists (
      select from notifications where question_id = ${id} and overdue_at >= now() - interval '1 millisecond') then ${today}::date end
    where question_id = ${id}`.execute(write)
}

async function remindAsker(write: Write, id: number): Promise<void> {
  const { rows } = await sql`
    select from question_desk as desk join courses as course on course.id = desk.course_id
    where desk.question_id = ${id} and ${isDue} for update of desk skip locked`.execute(write)
  if (rows.length === 0) return
  const asker = sql`select author_id from questions where id = ${id}`
  const happening = { questionId: id, actorId: null, at: sql<Date>`clock_timestamp()` }
  await notify(write, happening, onePerson(asker, CLARIFICATION))
  await sql`update question_desk set reminded_since = asker_since where question_id = ${id}`.execute(write)
}
