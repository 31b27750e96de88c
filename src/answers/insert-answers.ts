import { sql } from 'kysely'
import { COMMIT_BEFORE_FLUSH } from '../database/durable.ts'
import type { Database } from '../database/schema.ts'
import type { renderedBody } from '../questions/post-text.ts'

export interface NewAnswer extends ReturnType<typeof renderedBody> {
  /** Of its form (database/posted-once.ts), in hexadecimal. */
  readonly key: string
  readonly personId: number
  readonly questionId: number
  /** What its path has before its id. */
  readonly place: string
}

/** What to do about a question or a person somebody else is writing to: wait, or leave out what belongs to them. */
const LOCKED = { patiently: sql``, 'at once': sql`skip locked` }

/**
 * Inserts answers with all that counts them. As there are more answers than anything else, it is one statement, a
 * transaction by itself, which is committed before it is on disk (database/durable.ts).
 *
 * Rows are locked before anything is written, and in the order that everybody keeps to: question, person, course
 * (questions/counters.ts). All that a course counts is taken from its row once that is locked: PostgreSQL holds constraints
 * against what an update makes of the row as it was when the statement began, before it looks for a newer one, and these
 * compare one count with another. None is written before what is there already (questions/moment.ts).
 * @param answers each key once
 * @returns by key the paths of those that were inserted: neither what is under a deleted question nor what was sent before
 */
export async function insertAnswers(
  db: Database,
  answers: readonly NewAnswer[],
  how: keyof typeof LOCKED,
): Promise<Map<string, string>> {
  const { rows } = await sql<{ key: string; path: string }>`
    with sent as materialized (
      select * from json_to_recordset(${JSON.stringify(answers)}) as sent (key text, "personId" bigint, "questionId" bigint,
        place text, body text, body_html text, renderer_version integer)
    ), question as materialized (
      select id, greatest(now(), active_at) as written_at from questions
      where id = any(array(select "questionId" from sent)) and deleted_at is null for no key update ${LOCKED[how]}
    ), person as materialized (
      select id from people
      where id = any(array(select "personId" from sent)) and exists (select from question)
      for no key update ${LOCKED[how]}
    ), numbered as materialized (
      select sent.*, written_at, nextval('answers_id_seq') as answer_id, ${COMMIT_BEFORE_FLUSH}
      from sent join question on question.id = "questionId" join person on person.id = "personId"
    ), first as (
      insert into posted_once (key, person_id, path) select decode(key, 'hex'), "personId", place || answer_id from numbered
      on conflict do nothing returning encode(key, 'hex') as key, path
    ), answer as (
      insert into answers (id, question_id, author_id, written_at, body, body_html, renderer_version) overriding system value
      select answer_id, "questionId", "personId", written_at, body, body_html, renderer_version
      from numbered join first using (key)
      returning question_id, author_id, written_at
    ), answered as materialized (
      select question_id, written_at, count(*)::integer as more from answer group by question_id, written_at
    ), counted as (
      update questions set answers_count = answers_count + more, active_at = answered.written_at
      from answered where id = question_id returning id, course_id, answers_count = more as is_first
    ), wrote as materialized (
      select author_id, count(*)::integer as more from answer group by author_id
    ), author as (
      update people set answers_count = answers_count + more from wrote where id = author_id
    ), begun as materialized (
      select course_id, count(*)::integer as fewer from counted where is_first group by course_id
    ), course as materialized (
      select id, questions_count, resolved_count, unanswered_count - fewer as unanswered_count
      from courses join begun on id = course_id order by id for no key update of courses
    ), unanswered as (
      update courses set (questions_count, resolved_count, unanswered_count) =
        (course.questions_count, course.resolved_count, course.unanswered_count)
      from course where courses.id = course.id
    ), member as (
      insert into course_members (course_id, person_id, role)
      select course_id, author_id, 'learner' from answer join counted on id = question_id on conflict do nothing
    ), queued as (
      insert into search_queue (question_id) select id from counted
    )
    select key, path from first`.execute(db)
  return new Map(rows.map(({ key, path }) => [key, path]))
}
