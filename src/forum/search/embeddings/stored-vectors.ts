import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import { plainText } from '../../../text/plain.ts'
import { bytesOf, type EmbeddingEndpoint, type Vector, vectorIn } from './endpoint.ts'

/** HTML of a question's text that is read to be sent. */
const MAX_HTML = 20_000

/** Whether a question `q` of the course `course` may be sent, and what was made of it may be used: the one rule of all that is stored. */
export const MAY_BE_SENT: RawBuilder<boolean> = sql`(q.is_listed and (course.is_public or course.allows_embeddings))`

/** Vectors of this model, and of the text that the questions have now. */
export async function storedVectors(
  db: Database,
  ids: readonly number[],
  model: string,
): Promise<ReadonlyMap<number, Vector>> {
  const { rows } = await sql<{ id: number; vector: Buffer }>`
    select q.id, stored.vector from question_vectors as stored
    join questions as q on q.id = stored.question_id and q.version = stored.version
    join courses as course on course.id = q.course_id
    where stored.question_id = any(${ids}::bigint[]) and stored.model = ${model} and ${MAY_BE_SENT}`.execute(
    db,
  )
  return new Map(rows.map(({ id, vector }) => [id, vectorIn(vector)]))
}

/** Sends questions that may be sent, and stores what comes back, unless they changed or were hidden meanwhile. */
export async function makeVectors(
  db: Database,
  endpoint: EmbeddingEndpoint,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await sql<{ id: number; version: number; title: string; html: string }>`
    select q.id, q.version, q.title, left(q.body_html, ${sql.lit(MAX_HTML)}) as html
    from questions as q join courses as course on course.id = q.course_id
    where q.id = any(${ids}::bigint[]) and ${MAY_BE_SENT} order by q.id`.execute(db)
  if (rows.length === 0) return
  const vectors = await endpoint.embed(
    rows.map(({ title, html }) => `${title}\n${plainText(html)}`),
    signal,
  )
  const made = rows.map(({ id, version }, index) => ({
    id,
    version,
    vector: bytesOf(vectors[index] ?? new Float32Array()).toString('hex'),
  }))
  await sql`
    insert into question_vectors (question_id, model, version, vector)
    select q.id, ${endpoint.model}, made.version, decode(made.vector, 'hex')
    from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as made (id bigint, version integer, vector text)
    join questions as q on q.id = made.id and q.version = made.version
    join courses as course on course.id = q.course_id
    where ${MAY_BE_SENT} for share of q
    on conflict (question_id) do update
      set model = excluded.model, version = excluded.version, vector = excluded.vector`.execute(db)
}
