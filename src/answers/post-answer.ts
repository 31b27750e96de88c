import { sql } from 'kysely'
import { COMMIT_AT_ONCE, durable } from '../database/durable.ts'
import { earlierPath, type Once } from '../database/posted-once.ts'
import type { Database } from '../database/schema.ts'
import { renderedBody } from '../questions/post-text.ts'
import { answersPath } from '../web/paths.ts'
import { gone } from '../web/problem.ts'

/** The question as far as its answers' addresses go. */
interface Answered {
  readonly id: number
  readonly title: string
}

/**
 * Posts an answer, once for all sendings of its form; whoever answers belongs to the course. As there are more answers than
 * anything else, it is one statement, a transaction by itself: one way to the database instead of ten.
 * @returns the path of the answer
 * @throws Problem 410 when the question is deleted
 */
export async function postAnswer(
  db: Database,
  once: Once,
  question: Answered,
  body: string,
): Promise<string> {
  const path = (await insertAnswer(db, once, question, body)) ?? (await earlierPath(db, once))
  if (path === null) throw gone()
  await durable(db)
  return path
}

/**
 * Each part reads from one before it, which is the order they are done in, and in which rows are locked: question, person,
 * course (questions/counters.ts). None is written before what is there already (questions/moment.ts).
 * @returns null: the question is deleted, or the form was sent before
 */
async function insertAnswer(
  db: Database,
  { key, personId }: Once,
  question: Answered,
  body: string,
): Promise<string | null> {
  const text = renderedBody(body)
  const { rows } = await sql<{ path: string }>`
    with question as materialized (
      select id, greatest(now(), active_at) as written_at from questions
      where id = ${question.id} and deleted_at is null for no key update
    ), numbered as materialized (
      select question.*, nextval('answers_id_seq') as answer_id, ${COMMIT_AT_ONCE} from question
    ), first as (
      insert into posted_once (key, person_id, path)
      select ${key}, ${personId}, ${answersPath(question)}::text || answer_id from numbered
      on conflict do nothing returning path
    ), answer as (
      insert into answers (id, question_id, author_id, written_at, body, body_html, renderer_version) overriding system value
      select answer_id, id, ${personId}, written_at, ${text.body}, ${text.body_html}, ${text.renderer_version}::integer
      from numbered, first
      returning question_id, written_at
    ), counted as (
      update questions set answers_count = questions.answers_count + 1, active_at = answer.written_at
      from answer where questions.id = answer.question_id returning questions.course_id, questions.answers_count
    ), author as (
      update people set answers_count = people.answers_count + 1
      from counted where people.id = ${personId} returning counted.course_id, counted.answers_count
    ), course as (
      update courses set unanswered_count = unanswered_count - 1
      from author where courses.id = author.course_id and author.answers_count = 1
    ), member as (
      insert into course_members (course_id, person_id, role) select course_id, ${personId}, 'learner' from author
      on conflict do nothing
    ), queued as (
      insert into search_queue (question_id) select question_id from answer
    )
    select path from first`.execute(db)
  return rows[0]?.path ?? null
}
