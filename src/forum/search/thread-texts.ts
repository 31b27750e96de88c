import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import type { ThreadTexts } from './thread-vector.ts'

/** What a question's document is made of. */
export interface Texts {
  id: number
  course_id: number
  state: number
  title: string
  body_html: string
  is_listed: boolean
  score: number
  tags: string[]
  accepted_html: string | null
  answers_html: string[]
  replies_html: string[]
}

/**
 * As many characters of a thread's answers, and of its replies, as its document is made of, and of each text: the rest of a huge one
 * finds nothing more.
 */
const MAX_THREAD_CHARACTERS = 200_000

/** The texts of questions, as far as they are there, listed or not. */
export async function selectTexts(write: Database | Write, ids: readonly number[]): Promise<Texts[]> {
  const { rows } = await sql<Texts>`
    select q.id, q.course_id, q.state, q.title, left(q.body_html, ${MAX_THREAD_CHARACTERS}) as body_html, q.is_listed, ${staticScore()} as score,
      array(select tags.name from question_tags join tags on tags.id = question_tags.tag_id
        where question_tags.question_id = q.id order by question_tags.position) as tags,
      (select left(body_html, ${MAX_THREAD_CHARACTERS}) from answers
        where answers.id = q.accepted_answer_id and answers.is_shown) as accepted_html,
      array(select left(body_html, ${MAX_THREAD_CHARACTERS}) from (
        select body_html, votes_count, id, sum(octet_length(body_html)) over (order by votes_count desc, id) as up_to from answers
        where answers.question_id = q.id and answers.is_shown and answers.id is distinct from q.accepted_answer_id
        order by votes_count desc, id limit 100) as answer
        where up_to - octet_length(body_html) < ${MAX_THREAD_CHARACTERS} order by votes_count desc, id) as answers_html,
      array(select left(body_html, ${MAX_THREAD_CHARACTERS}) from (
        select replies.body_html, replies.id, sum(octet_length(replies.body_html)) over (order by replies.id) as up_to from replies
        left join answers on answers.id = replies.answer_id
        where replies.question_id = q.id and replies.is_shown and answers.is_shown is not false
        order by replies.id limit 300) as reply
        where up_to - octet_length(body_html) < ${MAX_THREAD_CHARACTERS} order by id) as replies_html
    from questions as q where q.id = any(${ids})`.execute(write)
  return rows
}

/** The part of it that its vector is made of. */
export function threadOf(texts: Texts): ThreadTexts {
  const { title, tags, accepted_html, body_html, answers_html, replies_html } = texts
  return { title, tags, accepted_html, others_html: [body_html, ...answers_html, ...replies_html] }
}

/** UTF-16 units of HTML. */
export function lengthOf({ accepted_html, others_html }: ThreadTexts): number {
  return others_html.reduce((sum, html) => sum + html.length, accepted_html?.length ?? 0)
}

/**
 * How good a question is whatever is searched for, about 0 to 10: resolved and answered ones first, votes and views by
 * their logarithm, a little for each year since 2020. `q` is the question.
 */
export function staticScore() {
  return sql<number>`(
    case when q.status = 'resolved' then 2 when q.answers_count > 0 then 1 else 0 end
    + ln(1 + greatest(q.votes_count, 0))
    + ln(1 + q.views_count) / 4
    + greatest(extract(epoch from q.written_at) / 31557600 - 50, 0) / 20)::real`
}
