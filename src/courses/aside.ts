import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Database } from '../database/schema.ts'
import type { MessageValues } from '../messages/catalogue.ts'
import { coursePath, pathWith, tagPath } from '../web/paths.ts'
import { type Duration, durationOf, durationWithin } from './duration.ts'

/** What stands beside a course's lists and in its head, ready to show. */
export interface CourseAside {
  readonly questionsCount: number
  /** Questions without an answer. */
  readonly waitingCount: number
  /** Resolved questions of all, 0 to 1 in hundredths, never rounded up; null without questions. */
  readonly resolvedShare: number | null
  /** The median time to somebody else's first answer, over the latest 100 answered questions. */
  readonly firstAnswer: Duration | null
  readonly tags: readonly { readonly name: string; readonly path: string }[]
  readonly lectures: readonly { readonly position: number; readonly title: string; readonly path: string }[]
  readonly hasLectures: boolean
  /** Who teaches: for the message courses.head.instructors; null when nobody does. */
  readonly instructors: MessageValues | null
  /** Who teaches and how soon they usually answer: for the message courses.head.usually; null when that is not known. */
  readonly usually: MessageValues | null
  /** How soon somebody usually answers: for the message courses.head.firstAnswer; null when that is not known. */
  readonly firstWithin: MessageValues | null
  /** No question written before was looked at for how soon somebody answers; null: all were. */
  readonly since: Date | null
}

const LATEST = 100
/** Fewer questions say nothing about what is usual. */
const FEWEST = 5

/** Figures, most used tags, most asked lectures and instructors of a course, in one round trip. */
export async function courseAside(db: Database, courseId: number): Promise<CourseAside> {
  const row = await selectAside(db, courseId)
  const instructors = instructorValues(row.instructors.map((person) => person.display_name))
  const {
    first_answer_hours: firstHours,
    instructor_hours: instructorHours,
    questions_count: questions,
  } = row
  const isMostlyAnswered = row.unanswered_count * 2 < questions
  return {
    questionsCount: row.questions_count,
    waitingCount: row.unanswered_count,
    resolvedShare:
      row.questions_count === 0 ? null : Math.floor((100 * row.resolved_count) / row.questions_count) / 100,
    firstAnswer: firstHours === null ? null : durationOf(firstHours),
    tags: row.tags.map(({ name }) => ({ name, path: tagPath(name) })),
    lectures: row.lectures.map(({ position, title }) => ({
      position,
      title,
      path: pathWith(coursePath(row.slug), { lecture: position }),
    })),
    hasLectures: row.has_lectures,
    instructors,
    usually: instructors && within(questions, instructorHours, instructors),
    firstWithin: isMostlyAnswered ? within(questions, firstHours) : null,
    since: row.since,
  }
}

function within(questions: number, hours: number | null, others: MessageValues = {}): MessageValues | null {
  return hours === null || questions < FEWEST ? null : { ...others, ...durationWithin(hours) }
}

/** Two are named, others counted in: catalogues say "one", "one and other" or "one, other and more". */
function instructorValues(names: readonly string[]): MessageValues | null {
  const [first, second] = names
  return first === undefined ? null : { count: names.length, first, second: second ?? '' }
}

/** Indexes: course_tags_most_used, lectures_most_asked, course_members_staff, questions_course_written, answers_question_key. */
function selectAside(db: Database, courseId: number) {
  return db
    .selectFrom('courses as course')
    .select(['course.slug', 'course.questions_count', 'course.resolved_count', 'course.unanswered_count'])
    .select((select) => [
      jsonArrayFrom(
        select
          .selectFrom('course_tags as used')
          .innerJoin('tags', 'tags.id', 'used.tag_id')
          .select('tags.name')
          .whereRef('used.course_id', '=', 'course.id')
          .where('used.questions_count', '>', 0)
          .orderBy('used.questions_count', 'desc')
          .orderBy('used.tag_id')
          .limit(10),
      ).as('tags'),
      jsonArrayFrom(
        select
          .selectFrom('lectures')
          .select(['position', 'title'])
          .whereRef('course_id', '=', 'course.id')
          .where('questions_count', '>', 0)
          .orderBy('questions_count', 'desc')
          .orderBy('position')
          .limit(5),
      ).as('lectures'),
      sql<boolean>`exists (select from lectures where lectures.course_id = course.id)`.as('has_lectures'),
      jsonArrayFrom(
        select
          .selectFrom('course_members as member')
          .innerJoin('people', 'people.id', 'member.person_id')
          .select('people.display_name')
          .whereRef('member.course_id', '=', 'course.id')
          .where('member.role', '=', 'instructor')
          .orderBy('people.id')
          .limit(3),
      ).as('instructors'),
      firstAnswerWait.as('first_answer_hours'),
      instructorWait.as('instructor_hours'),
      latestSince.as('since'),
    ])
    .where('course.id', '=', courseId)
    .executeTakeFirstOrThrow()
}

/** Answers of askers to themselves make nobody wait less. */
const firstAnswerWait = sql<number | null>`(
  select percentile_cont(0.5) within group (order by extract(epoch from answered.at - asked.written_at) / 3600)
  from (
    select id, author_id, written_at from questions
    where course_id = course.id and deleted_at is null and answers_count > 0
    order by written_at desc, id desc limit ${sql.lit(LATEST)}
  ) as asked
  cross join lateral (
    select min(written_at) as at from answers
    where question_id = asked.id and author_id <> asked.author_id and deleted_at is null
  ) as answered
  where answered.at is not null)`

/** The latest answered questions reach back further than the latest of all. */
const latestSince = sql<Date | null>`(
  select case when count(*) = ${sql.lit(LATEST)} then min(written_at) end from (
    select written_at from questions
    where course_id = course.id and deleted_at is null and answers_count > 0
    order by written_at desc, id desc limit ${sql.lit(LATEST)}
  ) as asked)`

/**
 * A question that no instructor answered counts as answered never, so "usually" is half of all questions, not of some.
 * `offset 0` keeps PostgreSQL from beginning with all that an instructor ever wrote.
 */
const instructorWait = sql<number | null>`(
  select nullif(
    percentile_disc(0.5) within group (order by coalesce(extract(epoch from answered.at - asked.written_at) / 3600, 'infinity')),
    'infinity')::float8
  from (
    select id, written_at from questions
    where course_id = course.id and deleted_at is null
    order by written_at desc, id desc limit ${sql.lit(LATEST)}
  ) as asked
  cross join lateral (
    select min(answer.written_at) as at from (
      select author_id, written_at from answers where question_id = asked.id and deleted_at is null offset 0
    ) as answer
    join course_members as member on member.course_id = course.id and member.person_id = answer.author_id
    where member.role = 'instructor'
  ) as answered)`
