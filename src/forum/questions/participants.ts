import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

/** Ids of those who voted for a question or one of its answers, follow it, or wrote what is not shown in it: its page looks different to each of them. */
export async function participantsOf(db: Database, questionId: number): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] }>`
    select coalesce(json_agg(person_id), '[]') as ids from (
      select person_id from question_votes where question_id = ${questionId}
      union select person_id from question_follows where question_id = ${questionId}
      union select vote.person_id from answers join answer_votes as vote on vote.answer_id = answers.id
        where answers.question_id = ${questionId}
      union select author_id from answers where question_id = ${questionId} and not is_shown
      union select author_id from replies where question_id = ${questionId} and not is_shown) as participant`.execute(
    db,
  )
  return rows[0]?.ids ?? []
}
