import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { Thread } from '../../text/thread/thread.ts'
import { TERMS_VERSION } from './document.ts'
import { type ThreadTexts, vectorOf } from './thread-vector.ts'

/** UTF-16 units of HTML of which the document is made here, in 20 ms at most: a thread begins while the document is locked. */
const MAX_AT_ONCE = 12_000
/** Milliseconds; the most text takes a quarter of a second, and the machine may be busy. */
const MAX_MAKING_MS = 20_000
const making = new Thread<ThreadTexts, string>(
  new URL('./document-thread.ts', import.meta.url),
  MAX_MAKING_MS,
)

/**
 * Rebuilds the search documents of these questions from what the transaction sees; one that is not listed, deleted or private, has none.
 * Called by whatever changes a title, a body, tags or an acceptance, in its own transaction; new posts wait for a job
 * (queue.ts).
 */
export async function indexQuestions(write: Database | Write, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await lockDocuments(write, ids)
  const texts = await selectTexts(write, ids)
  const listed = texts.filter((text) => text.is_listed)
  const gone = ids.filter((id) => !listed.some((text) => text.id === id))
  if (gone.length > 0) await write.deleteFrom('search_documents').where('question_id', 'in', gone).execute()
  if (listed.length === 0) return
  const vectors = await Promise.all(listed.map(vectorWithin))
  await sql`
    insert into search_documents (question_id, course_id, state, terms, score, terms_version)
    select id, course_id, state, vector::tsvector, score, ${TERMS_VERSION}
    from unnest(${listed.map((text) => text.id)}::bigint[], ${listed.map((text) => text.course_id)}::bigint[],
      ${listed.map((text) => text.state)}::smallint[], ${vectors}::text[], ${listed.map((text) => text.score)}::real[])
      as made (id, course_id, state, vector, score)
    on conflict (question_id) do update set course_id = excluded.course_id, state = excluded.state,
      terms = excluded.terms, score = excluded.score, terms_version = excluded.terms_version`.execute(write)
}

function vectorWithin({
  title,
  tags,
  accepted_html,
  body_html,
  answers_html,
  replies_html,
}: Texts): Promise<string> {
  const texts = { title, tags, accepted_html, others_html: [body_html, ...answers_html, ...replies_html] }
  const length = texts.others_html.reduce((sum, html) => sum + html.length, accepted_html?.length ?? 0)
  return length > MAX_AT_ONCE ? making.call(texts) : Promise.resolve(vectorOf(texts))
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

interface Texts {
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
      array(select tags.name from question_tags join tags on tags.id = question_tags.tag_id
        where question_tags.question_id = q.id order by question_tags.position) as tags,
      (select left(body_html, ${MAX_THREAD_CHARACTERS}) from answers
        where answers.id = q.accepted_answer_id and answers.deleted_at is null) as accepted_html,
      array(select left(body_html, ${MAX_THREAD_CHARACTERS}) from (
        select body_html, votes_count, id, sum(octet_length(body_html)) over (order by votes_count desc, id) as up_to from answers
        where answers.question_id = q.id and answers.deleted_at is null and answers.id is distinct from q.accepted_answer_id
        order by votes_count desc, id limit 100) as answer
        where up_to - octet_length(body_html) < ${MAX_THREAD_CHARACTERS} order by votes_count desc, id) as answers_html,
      array(select left(body_html, ${MAX_THREAD_CHARACTERS}) from (
        select replies.body_html, replies.id, sum(octet_length(replies.body_html)) over (order by replies.id) as up_to from replies
        left join answers on answers.id = replies.answer_id
        where replies.question_id = q.id and replies.deleted_at is null and answers.deleted_at is null
        order by replies.id limit 300) as reply
        where up_to - octet_length(body_html) < ${MAX_THREAD_CHARACTERS} order by id) as replies_html
    from questions as q where q.id = any(${ids})`.execute(write)
  return rows
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
