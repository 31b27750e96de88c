import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Message } from '../../messages/catalogue.ts'

const DAYS = 30
const FEWEST = 5
/** Where nothing is promised, so many answers make a time one can expect. */
const FEWEST_UNPROMISED = 10

/** With the median of questions that were asked here of late, null of too few; null: the course promises nothing. */
export async function responsePromise(db: Database, courseId: number) {
  const times = await answerTimes(db, courseId, false)
  if (times.promised === null) return null
  const median = medianOf(times, FEWEST)
  return { promised: durationOf(times.promised), median: median === null ? null : durationOf(median) }
}

/** What somebody who has just asked can expect, in sentences: as the course promises it, else how soon staff usually answered of late. */
export async function expectedAnswerTime(db: Database, courseId: number): Promise<readonly Message[]> {
  const times = await answerTimes(db, courseId, true)
  const { promised } = times
  const median = medianOf(times, promised === null ? FEWEST_UNPROMISED : FEWEST)
  if (promised === null)
    return median === null ? [] : [{ key: 'courses.contents.firstAnswer', values: durationWithin(median) }]
  const says = { key: 'courses.promise.says', values: durationOf(promised) }
  return median === null ? [says] : [says, { key: 'courses.promise.took', values: durationOf(median) }]
}

interface AnswerTimes {
  /** In hours, like `median`; null: nothing is promised. */
  readonly promised: number | null
  /** From asking to the first word of staff, of questions of the last 30 days that everybody of the course can read. */
  readonly median: number | null
  /** How many questions the median is of. */
  readonly answered: number
}

/** The median in hours; null: fewer than `fewest` questions say nothing. */
const medianOf = ({ median, answered }: AnswerTimes, fewest: number) => (answered < fewest ? null : median)

/** @param isAlwaysMeasured also where nothing is promised. Index: questions_shown_of_course. */
async function answerTimes(db: Database, courseId: number, isAlwaysMeasured: boolean): Promise<AnswerTimes> {
  const { rows } = await sql<AnswerTimes>`
    select course.promise_hours as promised, recent.median, recent.answered::integer
    from courses as course
    cross join lateral (
      select count(*) as answered, percentile_cont(0.5) within group (
        order by greatest(0, extract(epoch from desk.first_staff_at - q.written_at)) / 3600) as median
      from questions as q join question_desk as desk on desk.question_id = q.id
      where (course.promise_hours is not null or ${isAlwaysMeasured}) and q.course_id = course.id
        and q.is_shown and q.is_listed
        and q.written_at > now() - make_interval(days => ${sql.lit(DAYS)}) and desk.first_staff_at is not null
        and not exists (select from imported_posts where question_id = q.id)
    ) as recent
    where course.id = ${courseId}`.execute(db)
  return rows[0] ?? { promised: null, median: null, answered: 0 }
}

/** A time somebody waits, in the unit in which one would say it. A value for messages, too. */
interface Duration {
  readonly unit: 'minutes' | 'hours' | 'days'
  readonly value: number
  readonly [name: string]: string | number
}

/** To the nearest: what a figure shows. @param hours 0 or more */
export function durationOf(hours: number): Duration {
  return inUnit(hours, Math.round)
}

/** Rounded up: what a sentence may promise with "within". @param hours 0 or more */
export function durationWithin(hours: number): Duration {
  return inUnit(hours, Math.ceil)
}

function inUnit(hours: number, round: (value: number) => number): Duration {
  if (round(hours * 60) < 60) return { unit: 'minutes', value: Math.max(1, round(hours * 60)) }
  if (round(hours) < 48) return { unit: 'hours', value: round(hours) }
  return { unit: 'days', value: round(hours / 24) }
}
