import { sql } from 'kysely'
import type { Database, Write } from '../../../database/schema.ts'
import { sweep } from '../../../database/sweep.ts'
import { term } from '../../../database/terms.ts'
import { typedWords } from './words.ts'

/** Words of one title. */
const MAX_WORDS = 40

/**
 * Remembers by which words somebody was asking who follows this question instead: others may find it by them. Ending the following
 * ends that. A question that not everybody in its course reads learns nothing.
 * @param title as typed
 */
export async function learnTitle(
  write: Write,
  questionId: number,
  personId: number,
  title: string,
): Promise<void> {
  const lexemes = [...new Set(typedWords(title, MAX_WORDS).flatMap((word) => word.lexemes))]
  if (lexemes.length === 0) return
  await sql`
    insert into asked_instead (question_id, person_id, lexemes)
    select q.id, follow.person_id, ${lexemes}::text[]
    from questions as q join question_follows as follow on follow.question_id = q.id and follow.person_id = ${personId}
    where q.id = ${questionId} and q.is_listed and follow.instead_of_asking
    on conflict (question_id, person_id) do update set lexemes = excluded.lexemes, asked_at = excluded.asked_at`.execute(
    write,
  )
}

/** Removes words that fading has made tell nothing. */
export function sweepAskedInstead(db: Database): Promise<number> {
  return sweep(db, 'asked_instead', sql`asked_at < now() - ${term('askedInstead')}`)
}
