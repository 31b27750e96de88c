import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import type { Kind } from '../../../jobs/kind.ts'
import { enqueueDue } from '../../../jobs/table.ts'
import type { EmbeddingEndpoint } from './endpoint.ts'
import { MAY_BE_SENT, makeVectors } from './stored-vectors.ts'

const VECTORS = 'vectors'
/** Questions in one request. */
const BATCH = 16
/** How often is looked for questions without a vector: the newest, and the next of all of them. */
const LOOK_MS = 10_000
const NEWEST = 200
const STEP = 1000
/** Jobs that wait at most: an endpoint that is away fills no table. */
const MAX_WAITING = 200

/** The jobs that have vectors of questions made, of which the id is the key. */
export function vectorKind(db: Database, endpoint: EmbeddingEndpoint): Kind {
  let [after, lookedAt] = [0, 0]
  return {
    name: VECTORS,
    concurrency: 1,
    batch: BATCH,
    timeout: 30_000,
    isRepeatable: true,
    plan: async () => {
      if (Date.now() - lookedAt < LOOK_MS) return
      lookedAt = Date.now()
      after = await planVectors(db, endpoint.model, after)
    },
    run: (jobs, signal) =>
      makeVectors(
        db,
        endpoint,
        jobs.map(({ key }) => Number(key)),
        signal,
      ),
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
    from (select id from questions where id > ${after} order by id limit ${sql.lit(STEP)}) as step`.execute(
    db,
  )
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
