import { sql } from 'kysely'
import { numbersOf } from '../../database/merged-accounts.ts'
import type { Database, Write } from '../../database/schema.ts'
import { apart, everyTable, holder, personColumns, table } from '../../database/table.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueue, enqueueDue } from '../../jobs/table.ts'
import { endKeys } from '../sessions/endings.ts'

export const departures = table('departures', { person_id: apart(holder) })

/** The kind of the jobs that finish what leaving began. */
export const DEPARTURE = 'departure'
/** Of one run, and after which it leaves the rest to the next: so another process soon goes on for one that was killed. */
const TIMEOUT_MS = 20_000
const BUDGET_MS = 10_000

/** What leaving does to posts, one by one: begun again, each goes on where it broke off. */
export interface PostsOfLeaver {
  /** Removes for good what a person wrote: all, or what waits to be let through. */
  readonly purge: (
    db: Database,
    personId: number,
    signal: AbortSignal,
    which: 'all' | 'held',
  ) => Promise<void>
  /** Replaces the person's name where posts mention them. */
  readonly unname: (db: Database, personId: number, formerName: string) => Promise<void>
  /** Removes pictures that no post shows and that are nobody's. */
  readonly sweepPictures: (db: Database) => Promise<unknown>
}

/** Has the posts of somebody who left dealt with after the transaction that closes the account. */
export async function queueDeparture(
  write: Write,
  personId: number,
  formerName: string,
  takesPosts: boolean,
): Promise<void> {
  await write
    .insertInto('departures')
    .values({ person_id: personId, takes_posts: takesPosts, former_name: formerName })
    .execute()
  await enqueue(write, DEPARTURE, personId)
}

/** Finishes departures. A row of the table stays until all is done: it finds its job again, whatever became of that. */
export function departing(db: Database, posts: PostsOfLeaver): Kind {
  return {
    name: DEPARTURE,
    concurrency: 1,
    batch: 1,
    timeout: TIMEOUT_MS,
    plan: () => enqueueDue(db, DEPARTURE, sql`select person_id as key, begun_at as at from departures`),
    run: async (jobs, signal) => {
      const budget = AbortSignal.timeout(BUDGET_MS)
      try {
        for (const { key } of jobs) await finish(db, Number(key), posts, AbortSignal.any([signal, budget]))
      } catch (error) {
        // The plan finds it again.
        if (!budget.aborted || signal.aborted) throw error
      }
    },
  }
}

/** Finishes all departures that wait: what tests call where no job does. */
export async function finishDepartures(db: Database, posts: PostsOfLeaver): Promise<void> {
  await doJobs(db, departing(db, posts))
}

async function finish(db: Database, personId: number, posts: PostsOfLeaver, signal: AbortSignal) {
  const departure = await db
    .selectFrom('departures')
    .select(['takes_posts', 'former_name'])
    .where('person_id', '=', personId)
    .executeTakeFirst()
  if (departure === undefined) return
  // The numbers of accounts merged into this one, too: a few anonymous posts and the mentions have them.
  for (const number of await numbersOf(db, personId)) {
    await posts.purge(db, number, signal, departure.takes_posts ? 'all' : 'held')
    await posts.unname(db, number, departure.former_name)
  }
  await db.transaction().execute(async (write) => {
    // What a request that was on its way when the account closed may have left.
    await forgetPersonal(write, personId)
    await write.deleteFrom('mentions').where('person_id', '=', personId).execute()
  })
  await posts.sweepPictures(db)
  await db.deleteFrom('departures').where('person_id', '=', personId).execute()
}

/** Removes what is a person's alone, by the facts of the tables. No cascade does: the `people` row stays. */
export async function forgetPersonal(write: Write, personId: number): Promise<void> {
  await endKeys(write, 'leaving', { personId })
  for (const { name, goesWith } of everyTable())
    if (goesWith !== undefined)
      await sql`delete from ${sql.table(name)} where ${goesWith(personId)}`.execute(write)
  for (const { table, column, leaving } of personColumns()) {
    const isTheirs = sql`${sql.ref(column)} = ${personId}`
    if (leaving === 'row') await sql`delete from ${sql.table(table)} where ${isTheirs}`.execute(write)
    else if (leaving === 'empty')
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = null where ${isTheirs}`.execute(write)
  }
}

/** Removes an account's mails, with errors in which servers name its address. Farewells stay until sent. */
export async function forgetMails(write: Write, personId: number): Promise<void> {
  await sql`
    with gone as (delete from mails where person_id = ${personId} returning id)
    delete from jobs using gone where jobs.kind = 'mail' and jobs.key = gone.id::text`.execute(write)
}
