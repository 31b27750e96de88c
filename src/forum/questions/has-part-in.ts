import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

/** Whether somebody voted for a question or one of its answers, or follows it. */
export async function hasPartIn(db: Database, personId: number, questionId: number): Promise<boolean> {
  const { rows } = await sql<{ has_part: boolean }>`
    select exists (select from question_votes where question_id = ${questionId} and person_id = ${personId})
      or exists (select from question_follows where question_id = ${questionId} and person_id = ${personId})
      or exists (
        select from answers join answer_votes as vote on vote.answer_id = answers.id and vote.person_id = ${personId}
        where answers.question_id = ${questionId}) as has_part`.execute(db)
  return rows[0]?.has_part === true
}
