import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { questionPath } from '../../web/paths.ts'
import { dayAfter, spansOf } from './periods.ts'
import { FEWEST_PEOPLE } from './tally.ts'

export interface Subject {
  readonly id: number
  readonly timeZone: string
}

/** A question, and what came of it. Times are seconds after it was asked; null: not yet, or not known. */
export interface AskedQuestion {
  readonly monday: string
  /** Of the week in the course's time zone: 0 is Monday from midnight, 167 Sunday from 23 h. */
  readonly hour: number
  readonly asker: number
  readonly lectureId: number | null
  readonly isResolved: boolean
  /** A day has passed since it was asked here. */
  readonly isDayOld: boolean
  readonly firstAnswer: number | null
  readonly firstStaffAnswer: number | null
  readonly resolution: number | null
  /** Answers by present staff; the asker's own never count. */
  readonly staffAnswers: number
  /** Answers by all others but the asker. */
  readonly classmateAnswers: number
}

/**
 * The questions of the weeks with what became of them, in one round trip. Indexes: questions_shown_of_course,
 * answers_question_key.
 */
export async function askedQuestions(
  db: Database,
  course: Subject,
  staff: readonly number[],
  mondays: readonly string[],
): Promise<AskedQuestion[]> {
  if (mondays.length === 0) return []
  const { rows } = await sql<AskedQuestion>`
    select to_char(date_trunc('week', q.here), 'YYYY-MM-DD') as monday, q.author_id as asker,
      q.lecture_id as "lectureId", q.status = 'resolved' as "isResolved",
      (extract(isodow from q.here)::integer - 1) * 24 + extract(hour from q.here)::integer as hour,
      q.written_at <= now() - interval '1 day' as "isDayOld",
      ${secondsAfterAsking('answered.first')} as "firstAnswer",
      ${secondsAfterAsking('answered.first_by_staff')} as "firstStaffAnswer",
      ${secondsAfterAsking('q.resolved_at')} as resolution,
      answered.by_staff as "staffAnswers", answered.by_classmates as "classmateAnswers"
    from ${questionsOf(course, mondays)}
    cross join lateral (
      select min(a.written_at) as first, min(a.written_at) filter (where a.is_staff) as first_by_staff,
        count(*) filter (where a.is_staff) as by_staff, count(*) filter (where not a.is_staff) as by_classmates
      from (
        select written_at, author_id = any(${staff}::bigint[]) as is_staff from answers
        where question_id = q.id and author_id <> q.author_id and is_shown
      ) as a
    ) as answered`.execute(db)
  return rows
}

export interface AskedWords {
  readonly lectureId: number
  readonly asker: number
  readonly title: string
  readonly tags: readonly string[]
}

/** The words of the weeks' questions about a lecture. Indexes: questions_shown_of_course, question_tags_pkey. */
export async function askedWords(db: Database, course: Subject, mondays: readonly string[]) {
  if (mondays.length === 0) return []
  const { rows } = await sql<AskedWords>`
    select q.lecture_id as "lectureId", q.author_id as asker, q.title,
      array(select tags.name from question_tags join tags on tags.id = question_tags.tag_id
        where question_tags.question_id = q.id) as tags
    from ${questionsOf(course, mondays)}
    where q.lecture_id is not null order by q.id`.execute(db)
  return rows
}

/** Who is staff in a course: its own, and admins; by id. Indexes: course_members_staff, people_admins. */
export async function staffOf(db: Database, courseId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select person_id as id from course_members where course_id = ${courseId} and role <> 'learner'
    union select id from people where is_admin order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** The days on which a course was made and on which its first question was asked. Index questions_shown_of_course. */
export async function beginningsOf(db: Database, course: Subject) {
  const day = (at: string) => sql`to_char(${sql.ref(at)} at time zone ${course.timeZone}, 'YYYY-MM-DD')`
  const { rows } = await sql<{ made: string; asked: string | null }>`
    select ${day('courses.created_at')} as made, ${day('first.at')} as asked
    from courses cross join lateral (
      select min(written_at) as at from questions where course_id = courses.id and is_shown and is_listed and not is_imported) as first
    where courses.id = ${course.id}`.execute(db)
  return rows[0] ?? { made: '2000-01-01', asked: null }
}

/** The lectures of a course, in order. Index: lectures_position_key. */
export function lecturesOf(db: Database, courseId: number) {
  return db
    .selectFrom('lectures')
    .select(['id', 'position', 'title'])
    .where('course_id', '=', courseId)
    .orderBy('position')
    .execute()
}

/** Members of the course who are not of its staff. Indexes: course_members_pkey, course_members_staff. */
export async function countLearners(db: Database, courseId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from course_members where course_id = ${courseId})
      - (select count(*) from course_members
        where course_id = ${courseId} and role <> 'learner') as count`.execute(db)
  return rows[0]?.count ?? 0
}

function secondsAfterAsking(column: string) {
  return sql`extract(epoch from ${sql.ref(column)} - q.written_at)::float8`
}

/**
 * The listed questions `q` of the weeks, but those that an import brought: they were asked and answered elsewhere. Each with when it was
 * asked `here`, in the course's time zone. A condition per span of
 * neighbouring weeks, not a join per week: that would have the whole course read for each.
 */
function questionsOf(course: Subject, mondays: readonly string[]) {
  const midnight = (day: string) => sql`${day}::date::timestamp at time zone ${course.timeZone}`
  const spans = spansOf(mondays).map(
    ({ from, to }) => sql`q.written_at >= ${midnight(from)} and q.written_at < ${midnight(dayAfter(to, 1))}`,
  )
  return sql`(
    select *, written_at at time zone ${course.timeZone} as here from questions as q
    where q.course_id = ${course.id} and q.is_shown and q.is_listed and not q.is_imported and (${sql.join(spans, sql` or `)})
  ) as q`
}

const MAX_QUESTIONS = 20
const MAX_WORDS = 6

/**
 * The searched words that led to questions of a course's FAQ, of FEWEST_PEOPLE people or more each, the most
 * first. Indexes: faq_entries_listed, search_openings_pkey.
 */
export async function faqOpenings(db: Database, courseId: number) {
  const { rows } = await sql<{ id: number; title: string; words: { word: string; people: number }[] }>`
    select q.id, q.title, said.words
    from faq_entries as entry
    join questions as q on q.id = entry.question_id and q.is_listed
    cross join lateral (
      select jsonb_agg(jsonb_build_object('word', word, 'people', people) order by people desc, word) as words, max(people) as most
      from (
        select word, count(*) as people from search_openings where question_id = q.id
        group by word having count(*) >= ${FEWEST_PEOPLE} order by count(*) desc, word limit ${MAX_WORDS}) as one
    ) as said
    where entry.course_id = ${courseId} and entry.state = 'shown' and said.words is not null
    order by said.most desc, q.id limit ${MAX_QUESTIONS}`.execute(db)
  return rows.map(({ id, title, words }) => ({ title, path: questionPath({ id, title }), words }))
}
