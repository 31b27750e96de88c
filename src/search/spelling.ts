import { sql } from 'kysely'
import { visibleTo } from '../courses/visibility.ts'
import type { Database } from '../database/schema.ts'
import type { Actor } from '../rights.ts'
import { termsOf } from '../text/terms.ts'
import { quoted, tagLexeme } from './document.ts'

/** Below this likeness (pg_trgm's similarity, 0 to 1) a word is another word. */
const ALIKE = 0.4

/**
 * The query with words nobody wrote replaced by the most alike that somebody did, by trigrams; null when there is no
 * better one. The words were counted some time ago: those that the viewer could not find any more are not told.
 * @param words the words of the query as typed, without filters and signs
 */
export async function betterSpelling(
  db: Database,
  viewer: Actor | null,
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
  const known = await Promise.all(better.map(({ word }) => isFound(db, viewer, word)))
  const told = better.filter((_, index) => known[index])
  if (told.length === 0) return null
  return told.reduce((query, { typed, word }) => replaceWord(query, typed, word), text)
}

/** Whether the viewer may read a question with this word, or tag, in it. Uses index search_documents_terms. */
async function isFound(db: Database, viewer: Actor | null, word: string): Promise<boolean> {
  const words = termsOf(word).map(({ lexeme }) => quoted(lexeme))
  const match = [words.join(' & '), quoted(tagLexeme(word))].filter(Boolean).join(' | ')
  const { rows } = await sql<{ is_found: boolean }>`
    select exists (
      select from search_documents as d join courses as course on course.id = d.course_id
      where d.terms @@ ${match}::tsquery and ${visibleTo(viewer)}) as is_found`.execute(db)
  return rows[0]?.is_found === true
}

/** Without a pattern made of what somebody typed. */
function replaceWord(query: string, typed: string, word: string): string {
  const at = query.toLowerCase().indexOf(typed)
  return at < 0 ? query : `${query.slice(0, at)}${word}${query.slice(at + typed.length)}`
}
