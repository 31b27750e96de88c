import type { FastifyInstance } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import { idsOf, type Kind } from '../../../jobs/kind.ts'
import { enqueueDue } from '../../../jobs/table.ts'
import type { ReadableCourses } from '../../../kernel/rights/visibility.ts'
import { plainText } from '../../../text/plain.ts'
import type { Ranker } from '../rank.ts'
import { bytesOf, EmbeddingEndpoint, nearness, type Vector, vectorIn } from './endpoint.ts'

const RERANKED = 50
/** How little the places of two rankings differ far behind (Cormack and others, "Reciprocal rank fusion", 2009). */
const FUSION = 60

export type Compared =
  | { readonly question: number }
  /** `mayBePrivate`: it may become a question, and a private one. */
  | { readonly typed: string; readonly mayBePrivate: boolean }

const endpoints = new WeakMap<Database, EmbeddingEndpoint>()

/** How many are to be found where so many are wanted: what is found is ranked once more if there is an endpoint. */
export function wantedByMeaning(db: Database, size: number): number {
  return endpoints.has(db) ? Math.max(size, RERANKED) : size
}

/** With EMBEDDINGS_URL: vectors are made by jobs, and what is found is ranked by them, too. */
export function registerEmbeddings(app: FastifyInstance): void {
  const url = app.config.embeddingsUrl
  if (url === null) return
  const endpoint = new EmbeddingEndpoint(url)
  endpoints.set(app.db, endpoint)
  if (app.changes !== null) app.jobs.start(vectorKind(app.db, endpoint))
  app.addHook('onClose', async () => {
    endpoints.delete(app.db)
    endpoint.close()
  })
}

/**
 * Puts found ones in the order of both rankings: by words, as they come, and by meaning. Without an endpoint, a vector of what they are compared
 * with, or the right to ask for it, they stay in their order. One without a vector of its own keeps its place.
 */
export function rankedByMeaning<Found extends { readonly id: number }>(
  db: Database,
  compared: Compared,
  courses: ReadableCourses,
): Ranker<Found> {
  return async (found) => {
    const endpoint = endpoints.get(db)
    if (endpoint === undefined || found.length < 2) return found
    const first = found.slice(0, RERANKED)
    const ids = first.map(({ id }) => id)
    const [vectors, typed] = await Promise.all([
      storedVectors(db, 'question' in compared ? [...ids, compared.question] : ids, endpoint.model),
      'typed' in compared && (await mayBeTyped(db, courses, compared.mayBePrivate))
        ? endpoint.embedTyped(compared.typed)
        : null,
    ])
    const own = 'question' in compared ? vectors.get(compared.question) : typed
    return own == null ? found : [...fused(first, vectors, own), ...found.slice(RERANKED)]
  }
}

/**
 * Whether what is typed in these courses may be sent to the endpoint: posts of all of them are.
 * @param mayBePrivate it may become a question: then none of them may allow private ones
 */
async function mayBeTyped(db: Database, { ids }: ReadableCourses, mayBePrivate: boolean) {
  const { rows } = await sql<{ id: number; allows_private: boolean }>`
    select id, allows_private from courses where is_public or allows_embeddings`.execute(db)
  const sending = new Set(rows.filter((one) => !(mayBePrivate && one.allows_private)).map(({ id }) => id))
  return ids.every((id) => sending.has(id))
}

/** Reciprocal rank fusion: of places alone, as values of two rankings can't be compared. Of two that are as good, meaning decides. */
function fused<Found extends { readonly id: number }>(
  found: readonly Found[],
  vectors: ReadonlyMap<number, Vector>,
  own: Vector,
): Found[] {
  const known = found.flatMap(({ id }) => {
    const vector = vectors.get(id)
    return vector === undefined ? [] : [{ id, near: nearness(own, vector) }]
  })
  known.sort((one, other) => other.near - one.near)
  const places = new Map(known.map(({ id }, place) => [id, place]))
  return found
    .map((one, byWords) => ({ one, byWords, byMeaning: places.get(one.id) ?? byWords }))
    .map((ranked) => ({ ...ranked, worth: 1 / (FUSION + ranked.byWords) + 1 / (FUSION + ranked.byMeaning) }))
    .sort((a, b) => b.worth - a.worth || a.byMeaning - b.byMeaning)
    .map(({ one }) => one)
}

const VECTORS = 'vectors'
const BATCH = 16
/** How often is looked for questions without a vector: the newest, and the next of all of them. */
const LOOK_MS = 10_000
const NEWEST = 200
const STEP = 1000
/** Jobs that wait at most: an endpoint that is away fills no table. */
const MAX_WAITING = 200

export function vectorKind(db: Database, endpoint: EmbeddingEndpoint): Kind {
  let [after, lookedAt] = [0, 0]
  return {
    name: VECTORS,
    concurrency: 1,
    batch: BATCH,
    timeout: 30_000,
    plan: async () => {
      if (Date.now() - lookedAt < LOOK_MS) return
      lookedAt = Date.now()
      after = await planVectors(db, endpoint.model, after)
    },
    run: (jobs, signal) => makeVectors(db, endpoint, idsOf(jobs), signal),
  }
}

/**
 * Adds jobs for questions whose vector is missing, of another model, or of an earlier text; and forgets those of questions that may no longer be
 * sent. Looks at the newest questions and at a step of all of them, by their primary key, so that it costs as much in a forum of any size.
 * @param after the last question of the step before
 * @returns that of this one; 0 after the last of all
 */
async function planVectors(db: Database, model: string, after: number): Promise<number> {
  const { rows } = await sql<{ last: number | null; count: number }>`
    select max(id) as last, count(*) as count
    from (
      select id from questions where id > ${after} order by id limit ${sql.lit(STEP)}) as step`.execute(db)
  const last = rows[0]?.last ?? after
  const looked = sql`(
    (select id from questions where id > ${after} and id <= ${last})
    union (select id from questions order by id desc limit ${sql.lit(NEWEST)}))`
  await sql`
    delete from question_vectors as stored using questions as q, courses as course
    where stored.question_id in ${looked} and q.id = stored.question_id and course.id = q.course_id
      and not ${MAY_BE_SENT}`.execute(db)
  await enqueueDue(
    db,
    VECTORS,
    sql`select q.id as key, q.written_at as at
      from questions as q join courses as course on course.id = q.course_id
      where q.id in ${looked} and ${MAY_BE_SENT}
        and (select count(*) from jobs where kind = ${VECTORS}) < ${sql.lit(MAX_WAITING)}
        and not exists (select from question_vectors as stored
          where stored.question_id = q.id and stored.version = q.version and stored.model = ${model})`,
  )
  return (rows[0]?.count ?? 0) < STEP ? 0 : last
}

const MAX_HTML = 20_000

/** Whether a question `q` of the course `course` may be sent, and what was made of it may be used: the one rule of all that is stored. */
const MAY_BE_SENT: RawBuilder<boolean> = sql`(q.is_listed and (course.is_public or course.allows_embeddings))`

async function storedVectors(db: Database, ids: readonly number[], model: string) {
  const { rows } = await sql<{ id: number; vector: Buffer }>`
    select q.id, stored.vector from question_vectors as stored
    join questions as q on q.id = stored.question_id and q.version = stored.version
    join courses as course on course.id = q.course_id
    where stored.question_id = any(${ids}::bigint[])
      and stored.model = ${model} and ${MAY_BE_SENT}`.execute(db)
  return new Map(rows.map(({ id, vector }) => [id, vectorIn(vector)]))
}

/** Sends questions that may be sent, and stores what comes back, unless they changed or were hidden meanwhile. */
async function makeVectors(
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
