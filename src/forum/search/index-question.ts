import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { idsOf, type Kind } from '../../jobs/kind.ts'
import { enqueue } from '../../jobs/table.ts'
import { Task } from '../../text/thread/thread.ts'
import { TERMS_VERSION, type ThreadTexts, type vectorOf } from './document.ts'
import { type Made, type Texts, threadOf, writeDocuments, writeTitles } from './write-documents.ts'

const making = new Task<typeof vectorOf>(new URL('./document.ts', import.meta.url), 'vectorOf')
/** How often texts that change while their vector is made are tried again: their change has queued them as well. */
const MAX_ROUNDS = 3

export type Make = (texts: ThreadTexts) => Promise<string>
const makeInThread: Make = (texts) => making.call(texts)

/**
 * Rebuilds the search documents of these questions from what the transaction sees; one that is not listed, deleted or private, has none.
 * Called by whatever changes a title, a body, tags or an acceptance, in its own transaction; new posts wait for a job
 * (queueForSearch), and so do long threads: no transaction waits for a thread.
 */
export async function indexQuestions(write: Database | Write, ids: readonly number[]): Promise<void> {
  const long = await writeDocuments(write, ids, new Map())
  if (long.length === 0) return
  await writeTitles(write, long)
  for (const { id } of long) await queueForSearch(write, id)
}

/** Builds the documents of questions that nobody else can see before this transaction ends, long ones too. */
export async function indexNewQuestions(write: Write, ids: readonly number[]): Promise<void> {
  const long = await writeDocuments(write, ids, new Map())
  const made = await madeOf(long, makeInThread)
  await writeDocuments(write, [...made.keys()], made)
}

/**
 * Makes the documents of these questions, each of texts that were current when it was written. Long threads are made between
 * transactions; one whose texts changed meanwhile is made again.
 * @param waits whether to wait for changes of the questions that are not committed: where documents may be missing
 */
export async function makeDocuments(
  db: Database,
  ids: readonly number[],
  { waits = false, make = makeInThread }: { waits?: boolean; make?: Make } = {},
): Promise<void> {
  let left = ids
  let made: ReadonlyMap<number, Made> = new Map()
  for (let round = 0; round <= MAX_ROUNDS && left.length > 0; round++) {
    const long = await db.transaction().execute(async (write) => {
      if (waits)
        await sql`select from questions where id = any(${left}) order by id for no key update`.execute(write)
      return writeDocuments(write, left, made)
    })
    left = long.map(({ id }) => id)
    if (round < MAX_ROUNDS) made = await madeOf(long, make)
  }
}

async function madeOf(long: readonly Texts[], make: Make): Promise<Map<number, Made>> {
  const made = new Map<number, Made>()
  for (const text of long) {
    const texts = threadOf(text)
    made.set(text.id, { texts, vector: await make(texts) })
  }
  return made
}

/** Questions at once: their documents are locked while they are written. */
const QUEUED_BATCH = 20
/** Milliseconds of rest per millisecond of work: pages and posts come first. */
const REST_FACTOR = 4
/** Without rests for questions that have waited this long. */
const LATE_MS = 5000

export function indexing(db: Database): Kind {
  return {
    name: SEARCH,
    concurrency: 1,
    batch: QUEUED_BATCH,
    timeout: 30_000,
    run: (jobs) => makeDocuments(db, idsOf(jobs)),
    rest: (took, waited) => (waited < LATE_MS ? REST_FACTOR * took : 0),
  }
}

/** Makes all documents that wait: what tests and commands call where no job does. */
export async function indexQueued(db: Database): Promise<void> {
  await doJobs(db, indexing(db))
}

/** Indexes posts a moment after they were written, while the app runs. Without a change feed they wait for indexQueued. */
export function registerIndexing(app: FastifyInstance): void {
  if (app.changes !== null) app.jobs.start(indexing(app.db))
}

export const SEARCH = 'search'

/**
 * Has the document of a question made again after this transaction: for posts, of which a thread may get many a second, and
 * whose documents cost more than they do. Commands that change or delete posts call indexQuestions instead, which
 * leaves long threads to a job too.
 */
export function queueForSearch(write: Database | Write, questionId: number): Promise<void> {
  return enqueue(write, SEARCH, questionId)
}

const STALE_BATCH = 100

/** How many questions have no search document, or one that older rules made. */
export async function countStaleDocuments(db: Database | Write): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from questions as q
    left join search_documents as d on d.question_id = q.id and d.terms_version = ${TERMS_VERSION}
    where q.is_listed and d.question_id is null`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Makes the search documents that are missing or old, a batch of questions at a time by id, so that others write between.
 * @param onBatch gets the number of questions done since it was called last
 */
export async function indexStaleQuestions(
  db: Database,
  onBatch: (questions: number) => void = () => undefined,
): Promise<void> {
  for (let last = 0; ; ) {
    const { rows } = await sql<{ id: number }>`
      select q.id from questions as q
      left join search_documents as d on d.question_id = q.id and d.terms_version = ${TERMS_VERSION}
      where q.id > ${last} and q.is_listed and d.question_id is null
      order by q.id limit ${STALE_BATCH}`.execute(db)
    const ids = rows.map((row) => row.id)
    if (ids.length === 0) return
    // A question that is being changed right now is waited for: its document must be made of what it becomes.
    await makeDocuments(db, ids, { waits: true })
    last = ids.at(-1) ?? last
    onBatch(ids.length)
  }
}
