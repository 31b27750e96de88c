import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import type { QuestionTree } from '../reading/tree.ts'

export interface NewerPost {
  readonly kind: 'answer' | 'reply'
  readonly id: number
}

/** The newest posts below a question, answer and reply, as its form says what it has seen: `12.34`, as ids grow; 0: there is none. */
export const seenOf = ({ answers, replies }: QuestionTree): string =>
  `${Math.max(0, ...answers.map(({ id }) => id))}.${Math.max(0, ...replies.map(({ id }) => id))}`

/** What a form has seen; null: it says nothing of it, and is not compared. */
export function readSeen(typed: string | undefined) {
  const [, answer, reply] = /^(\d{1,15})\.(\d{1,15})$/.exec(typed ?? '') ?? []
  return answer === undefined || reply === undefined ? null : { answer: Number(answer), reply: Number(reply) }
}

/** The newest post of somebody else that a form has not seen. The question is locked: none is added until this is committed. */
export async function newerPost(
  write: Write,
  questionId: number,
  personId: number,
  seen: { answer: number; reply: number },
): Promise<NewerPost | null> {
  const { rows } = await sql<NewerPost>`
    select kind, id from (
      select 'answer' as kind, id, written_at from answers
      where question_id = ${questionId} and id > ${seen.answer} and author_id <> ${personId} and is_shown
      union all
      select 'reply', reply.id, reply.written_at from replies as reply
      left join answers as under on under.id = reply.answer_id
      where reply.question_id = ${questionId} and reply.id > ${seen.reply} and reply.author_id <> ${personId}
        and reply.is_shown and under.is_shown is not false
    ) as post order by written_at desc, id desc limit 1`.execute(write)
  return rows[0] ?? null
}
