import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { Task } from '../../text/thread/thread.ts'
import { queueForSearch } from './queue.ts'
import { type Texts, threadOf } from './thread-texts.ts'
import type { ThreadTexts, vectorOf } from './thread-vector.ts'
import { type Made, writeDocuments, writeTitles } from './write-documents.ts'

const making = new Task<typeof vectorOf>(new URL('./thread-vector.ts', import.meta.url), 'vectorOf')
/** How often texts that change while their vector is made are tried again: their change has queued them as well. */
const MAX_ROUNDS = 3

/** Makes the vector of a long thread, without keeping requests waiting. */
export type Make = (texts: ThreadTexts) => Promise<string>
const makeInThread: Make = (texts) => making.call(texts)

/**
 * Rebuilds the search documents of these questions from what the transaction sees; one that is not listed, deleted or private, has none.
 * Called by whatever changes a title, a body, tags or an acceptance, in its own transaction; new posts wait for a job
 * (queue.ts), and so do long threads: no transaction waits for a thread.
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
