import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import { sweep } from '../../../database/sweep.ts'
import { term } from '../../../database/terms.ts'
import { typedWords } from './words.ts'

/** Words of one search, and people of one word and question: more tell nothing more. */
const MAX_WORDS = 12
export const MAX_PEOPLE = 50
const WHO_BYTES = 16

export interface Opening {
  readonly questionId: number
  readonly personId: number
  /** What was searched for, without filters. */
  readonly subject: string
}

/**
 * Notes that somebody opened a question from a search: once for each word, however often they search. Nothing is noted of one's own
 * question, nor of one that not everybody in its course reads.
 */
export async function noteOpening(
  db: Database,
  secret: string,
  { questionId, personId, subject }: Opening,
): Promise<void> {
  const words = typedWords(subject, MAX_WORDS).map(({ word, lexemes }) => ({
    word,
    lexemes,
    who: createHmac('sha256', secret)
      .update(`search opening ${personId} ${questionId} ${word}`)
      .digest()
      .subarray(0, WHO_BYTES)
      .toString('hex'),
  }))
  if (words.length === 0) return
  await sql`
    insert into search_openings as kept (question_id, word, who, lexemes)
    select q.id, said.word, decode(said.who, 'hex'), said.lexemes
    from jsonb_to_recordset(${JSON.stringify(words)}::jsonb) as said (word text, who text, lexemes text[])
    join questions as q on q.id = ${questionId} and q.is_listed and q.author_id <> ${personId}
    where (select count(*) from search_openings as other where other.question_id = q.id and other.word = said.word) < ${MAX_PEOPLE}
    order by said.word
    on conflict (question_id, word, who) do update set opened_on = excluded.opened_on
    where kept.opened_on <> excluded.opened_on`.execute(db)
}

/** Removes openings that are too long ago to count. */
export function sweepOpenings(db: Database): Promise<number> {
  return sweep(db, 'search_openings', sql`opened_on < current_date - ${term('searchOpenings')}`)
}
