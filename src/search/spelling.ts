import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'

/** Below this likeness (pg_trgm's similarity, 0 to 1) a word is another word. */
const ALIKE = 0.4

/**
 * The query with words nobody wrote replaced by the most alike that somebody did, by trigrams; null when there is no
 * better one.
 * @param words the words of the query as typed, without filters and signs
 */
export async function betterSpelling(
  db: Database,
  text: string,
  words: readonly string[],
): Promise<string | null> {
  const tried = [...new Set(words.map((word) => word.toLowerCase()))]
    .filter((word) => word.length >= 3)
    .slice(0, 6)
  if (tried.length === 0) return null
  const better = await db.transaction().execute(async (write) => {
    await sql`set local pg_trgm.similarity_threshold = ${sql.lit(ALIKE)}`.execute(write)
    const { rows } = await sql<{ typed: string; word: string }>`
      select typed, found.word from unnest(${tried}::text[]) as typed
      cross join lateral (
        select word from search_words where word % typed
        order by similarity(word, typed) desc, questions_count desc, word limit 1) as found
      where found.word <> typed and not exists (select from search_words where word = typed)`.execute(write)
    return rows
  })
  if (better.length === 0) return null
  return better.reduce((query, { typed, word }) => replaceWord(query, typed, word), text)
}

/** Without a pattern made of what somebody typed. */
function replaceWord(query: string, typed: string, word: string): string {
  const at = query.toLowerCase().indexOf(typed)
  return at < 0 ? query : `${query.slice(0, at)}${word}${query.slice(at + typed.length)}`
}
