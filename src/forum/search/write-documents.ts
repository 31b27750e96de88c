import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { documentVector, TERMS_VERSION } from './document.ts'
import { lengthOf, selectTexts, type Texts, threadOf } from './thread-texts.ts'
import { type ThreadTexts, vectorOf } from './thread-vector.ts'

/** UTF-16 units of HTML of which a document is made in the transaction that writes it, in 20 ms at most. */
const MAX_AT_ONCE = 12_000
/** The version of a document that has the title and the tags alone. */
const UNFINISHED = 0

/** A vector, and of which texts it was made. */
export interface Made {
  readonly texts: ThreadTexts
  readonly vector: string
}

/**
 * Writes the documents of these questions, and deletes those of questions that are not listed.
 * @param made vectors of long ones, by question
 * @returns the long ones of which no vector was made yet, or one of other texts: their documents are as they were
 */
export async function writeDocuments(
  write: Database | Write,
  ids: readonly number[],
  made: ReadonlyMap<number, Made>,
): Promise<Texts[]> {
  if (ids.length === 0) return []
  await lockDocuments(write, ids)
  const listed = (await selectTexts(write, ids)).filter((text) => text.is_listed)
  const gone = ids.filter((id) => !listed.some((text) => text.id === id))
  if (gone.length > 0) {
    await write.deleteFrom('search_documents').where('question_id', 'in', gone).execute()
    await write.deleteFrom('question_vectors').where('question_id', 'in', gone).execute()
  }
  const vectors = new Map<Texts, string>()
  for (const text of listed) {
    const texts = threadOf(text)
    const own = made.get(text.id)
    if (lengthOf(texts) <= MAX_AT_ONCE) vectors.set(text, vectorOf(texts))
    else if (isDeepStrictEqual(own?.texts, texts)) vectors.set(text, own?.vector ?? '')
  }
  if (vectors.size > 0) await writeVectors(write, vectors)
  return listed.filter((text) => !vectors.has(text))
}

async function writeVectors(write: Database | Write, vectors: ReadonlyMap<Texts, string>): Promise<void> {
  await sql`
    ${documentsOf(vectors, TERMS_VERSION)}
    on conflict (question_id) do update set course_id = excluded.course_id, state = excluded.state,
      terms = excluded.terms, score = excluded.score, terms_version = excluded.terms_version`.execute(write)
}

/** Has questions found by their titles and tags until the rest is made; those that have a document keep its words until then. */
export async function writeTitles(write: Database | Write, texts: readonly Texts[]): Promise<void> {
  const vectors = new Map(
    texts.map((text) => [
      text,
      documentVector({ title: text.title, tags: text.tags, acceptedAnswer: null, others: [] }),
    ]),
  )
  await sql`
    ${documentsOf(vectors, UNFINISHED)}
    on conflict (question_id) do update set course_id = excluded.course_id, state = excluded.state,
      score = excluded.score`.execute(write)
}

function documentsOf(vectors: ReadonlyMap<Texts, string>, version: number): RawBuilder<unknown> {
  const texts = [...vectors.keys()]
  return sql`
    insert into search_documents (question_id, course_id, state, terms, score, terms_version)
    select id, course_id, state, vector::tsvector, score, ${version}
    from unnest(${texts.map(({ id }) => id)}::bigint[], ${texts.map((text) => text.course_id)}::bigint[],
      ${texts.map((text) => text.state)}::smallint[], ${[...vectors.values()]}::text[], ${texts.map((text) => text.score)}::real[])
      as made (id, course_id, state, vector, score)`
}

/**
 * A transaction that rebuilds a document waits here for another one that does, and then reads what that one had not seen:
 * the last to write has read last. In the order of ids, so that there is no deadlock.
 */
async function lockDocuments(write: Database | Write, ids: readonly number[]): Promise<void> {
  await sql`
    select from search_documents where question_id = any(${ids}) order by question_id for no key update`.execute(
    write,
  )
}
