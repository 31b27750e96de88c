import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { plainText } from '../../text/plain.ts'
import { firstLines } from './similar-view.ts'

/** An earlier question of the course that has an answer. */
export interface EarlierAnswered {
  readonly id: number
  readonly title: string
  /** The first lines of its accepted answer, else of an endorsed one, else of its best one. */
  readonly answer: string
}

/**
 * Which of these questions were asked before another one of their course and are answered, in their order. Only questions that everyone
 * reads in the course.
 * @param ids the nearest first
 */
export async function earlierAnswered(
  db: Database,
  ids: readonly number[],
  toId: number,
  size: number,
): Promise<EarlierAnswered[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: number; title: string; html: string }>`
    select q.id, q.title, answer.html
    from questions as q
    join questions as later on later.id = ${toId} and later.course_id = q.course_id
      and (q.written_at, q.id) < (later.written_at, later.id)
    cross join lateral (
      select left(body_html, 2000) as html from answers
      where question_id = q.id and is_shown
      order by id is not distinct from q.accepted_answer_id desc, endorsed_at is null, votes_count desc, id limit 1
    ) as answer
    where q.id = any(${ids}::bigint[]) and q.is_listed
    order by array_position(${ids}::bigint[], q.id) limit ${size}`.execute(db)
  return rows.map(({ id, title, html }) => ({ id, title, answer: firstLines(plainText(html)) }))
}
