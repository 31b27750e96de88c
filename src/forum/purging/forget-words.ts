import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { plainText } from '../../text/plain.ts'
import { documentVector } from '../search/document.ts'

/** A word of so many threads says nothing of one of them, and its row would be locked often. */
const COMMON = 100

export interface LostText {
  readonly title: string
  readonly tags: readonly string[]
  readonly html: string
}

/**
 * Counts the rare words of a text no more: suggestions and statistics of the search would keep them until they are counted again.
 * @param text its title is '' and it has no tags where it is an answer or a reply
 */
export async function forgetWords(write: Write, { title, tags, html }: LostText): Promise<void> {
  const terms = documentVector({ title, tags, acceptedAnswer: null, others: [plainText(html)] })
  const words = [...tags, ...tags.flatMap((tag) => tag.split('-'))]
  const ofText = sql`any(tsvector_to_array(${terms}::tsvector))`
  const ofTitle = sql`any(regexp_split_to_array(lower(${title}::text), '[^[:alnum:]+#@-]+') || ${words}::text[])`
  // In the order of their keys: two departures at once take the rows one after the other.
  await sql`
    with known as (
      select term from search_terms where term = ${ofText} and term <> '' and documents_count between 1 and ${COMMON}
      order by term for update)
    update search_terms as counted set documents_count = counted.documents_count - 1
    from known where counted.term = known.term`.execute(write)
  await sql`delete from search_terms where term = ${ofText} and term <> '' and documents_count = 0`.execute(
    write,
  )
  await sql`
    with known as (
      select word from search_words where word = ${ofTitle} and questions_count between 1 and ${COMMON}
      order by word for update)
    update search_words as counted set questions_count = counted.questions_count - 1
    from known where counted.word = known.word`.execute(write)
  await sql`delete from search_words where word = ${ofTitle} and questions_count = 0`.execute(write)
}
