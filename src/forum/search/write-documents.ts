import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { tagNamesOf } from '../tags/tagging.ts'
import { documentVector, TERMS_VERSION, type ThreadTexts, tagLexeme, vectorOf } from './document.ts'

/** UTF-16 units of HTML of which a document is made in the transaction that writes it, in 20 ms at most. */
const MAX_AT_ONCE = 12_000
const UNFINISHED = 0

export type Made = { readonly texts: ThreadTexts; readonly vector: string }

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
  if (vectors.size > 0)
    await sql`
      ${documentsOf(vectors, TERMS_VERSION)}
      on conflict (question_id) do update set course_id = excluded.course_id, state = excluded.state,
        terms = excluded.terms, score = excluded.score, terms_version = excluded.terms_version`.execute(write)
  return listed.filter((text) => !vectors.has(text))
}

/** Has questions found by their titles and tags until the rest is made; those that have a document keep its words until then. */
export async function writeTitles(write: Database | Write, texts: readonly Texts[]): Promise<void> {
  const vectorOf = ({ title, tags }: Texts) =>
    documentVector({ title, tags, acceptedAnswer: null, others: [] })
  const vectors = new Map(texts.map((text) => [text, vectorOf(text)]))
  await sql`
    ${documentsOf(vectors, UNFINISHED)}
    on conflict (question_id) do update set course_id = excluded.course_id, state = excluded.state,
      score = excluded.score`.execute(write)
}

/**
 * Has questions found by another tag than they were, at once: their documents are made again by jobs, of so many texts.
 * @param ids all of questions that are locked
 */
export async function renameTagIn(
  write: Write,
  ids: readonly number[],
  from: string,
  to: string,
): Promise<void> {
  await lockDocuments(write, ids)
  const vector = documentVector({ title: '', tags: [to], acceptedAnswer: null, others: [] })
  await sql`
    update search_documents set terms = ts_delete(terms, ${tagLexeme(from)}) || ${vector}::tsvector
    where question_id = any(${ids})`.execute(write)
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
    select from search_documents where question_id = any(${ids})
    order by question_id for no key update`.execute(write)
}

export interface Texts {
  id: number
  course_id: number
  state: number
  title: string
  body_html: string
  is_listed: boolean
  score: number
  tags: string[]
  accepted_html: string | null
  answers_html: string[]
  replies_html: string[]
}

/**
 * As many characters of a thread's answers, and of its replies, as its document is made of, and of each text: the rest of a huge one
 * finds nothing more.
 */
const MAX_THREAD_CHARACTERS = 200_000

async function selectTexts(write: Database | Write, ids: readonly number[]): Promise<Texts[]> {
  const { rows } = await sql<Texts>`
    select q.id, q.course_id, q.state, q.title, left(q.body_html, ${MAX_THREAD_CHARACTERS}) as body_html, q.is_listed, ${staticScore()} as score,
      ${tagNamesOf('q')} as tags,
      (select left(body_html, ${MAX_THREAD_CHARACTERS}) from answers
        where answers.id = q.accepted_answer_id and answers.is_shown) as accepted_html,
      array(select left(body_html, ${MAX_THREAD_CHARACTERS}) from (
        select body_html, votes_count, id, sum(octet_length(body_html)) over (order by votes_count desc, id) as up_to from answers
        where answers.question_id = q.id and answers.is_shown and answers.id is distinct from q.accepted_answer_id
        order by votes_count desc, id limit 100) as answer
        where up_to - octet_length(body_html) < ${MAX_THREAD_CHARACTERS} order by votes_count desc, id) as answers_html,
      array(select left(body_html, ${MAX_THREAD_CHARACTERS}) from (
        select replies.body_html, replies.id, sum(octet_length(replies.body_html)) over (order by replies.id) as up_to from replies
        left join answers on answers.id = replies.answer_id
        where replies.question_id = q.id and replies.is_shown and answers.is_shown is not false
        order by replies.id limit 300) as reply
        where up_to - octet_length(body_html) < ${MAX_THREAD_CHARACTERS} order by id) as replies_html
    from questions as q where q.id = any(${ids})`.execute(write)
  return rows
}

export function threadOf(texts: Texts): ThreadTexts {
  const { title, tags, accepted_html, body_html, answers_html, replies_html } = texts
  return { title, tags, accepted_html, others_html: [body_html, ...answers_html, ...replies_html] }
}

function lengthOf({ accepted_html, others_html }: ThreadTexts): number {
  return others_html.reduce((sum, html) => sum + html.length, accepted_html?.length ?? 0)
}

/**
 * How good a question is whatever is searched for, about 0 to 10: resolved and answered ones first, votes and views by
 * their logarithm, a little for each year since 2020. `q` is the question.
 */
export function staticScore() {
  return sql<number>`(
    case when q.status = 'resolved' then 2 when q.answers_count > 0 then 1 else 0 end
    + ln(1 + greatest(q.votes_count, 0))
    + ln(1 + q.views_count) / 4
    + greatest(extract(epoch from q.written_at) / 31557600 - 50, 0) / 20)::real`
}
