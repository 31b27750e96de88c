import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../database/schema.ts'
import { sweep, term } from '../database/terms.ts'

export interface Job {
  readonly id: number
  /** What it is about, such as the id of a mail. */
  readonly key: string
  /** Including this one. */
  readonly tries: number
}

/** 0 is done first; 1 and 2 share what is left, four to one. */
export type Priority = 0 | 1 | 2

export interface ClaimedJob extends Job {
  /** Milliseconds until it was claimed. */
  readonly waited: number
  readonly priority: Priority
}

/** Has something done after this transaction, if and only if it commits. Jobs of one kind and key are done as one. */
export async function enqueue(
  write: Database | Write,
  kind: string,
  key: string | number,
  priority: Priority = 0,
): Promise<void> {
  await enqueueEach(write, kind, [key], priority)
}

export async function enqueueEach(
  write: Database | Write,
  kind: string,
  keys: readonly (string | number)[],
  priority: Priority = 0,
): Promise<void> {
  if (keys.length === 0) return
  await sql`
    insert into jobs (kind, key, priority)
    select ${kind}, key, ${priority}::smallint from unnest(${keys.map(String)}::text[]) as key`.execute(write)
}

/** Whether a job waits, or is being done: not one that was given up. @param key as an expression of SQL. Uses index jobs_key. */
export function isQueued(kind: string, key: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from jobs where jobs.kind = ${kind} and jobs.key = ${key} and jobs.give_up_at > now())`
}

/** Jobs that a plan adds at once. */
const MAX_PLANNED = 100

/**
 * Adds a job for each that is due and has none, those first that are due the longest: one that fails each
 * time keeps none of the others.
 * @param due a query with the columns `key` and `at`
 */
export async function enqueueDue(db: Database, kind: string, due: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into jobs (kind, key) select ${kind}, key::text from (${due}) as due
    where not ${isQueued(kind, sql`due.key::text`)} order by at, key limit ${MAX_PLANNED}`.execute(db)
}

interface Claim {
  readonly kind: string
  readonly limit: number
  /** How many of `limit` may be of priority 1 and 2. */
  readonly bulkLimit: number
  /** How many of these were claimed before: whose turn is it? */
  readonly bulkClaimed: number
  /** Seconds after which another process may do them. */
  readonly lease: number
  /** Whether to take jobs whose lease, of another process, has expired. */
  readonly takesOver: boolean
  /** Ids of what this process does or could not record yet, whatever became of the lease. */
  readonly underWay?: readonly number[]
}

/** Of so many jobs of priority 1 and 2, one is of priority 2 where both wait. */
const SHARES = 5

/** Claims due jobs; concurrent processes get different ones. Uses index jobs_due. */
export async function claimJobs(db: Database, claim: Claim): Promise<ClaimedJob[]> {
  const { limit, lease } = claim
  const bulkLimit = Math.min(limit, claim.bulkLimit)
  // Places are numbered: each fifth is for priority 2. Who has none waiting leaves its places to the other.
  const turn = sql.lit(claim.bulkClaimed % SHARES)
  const { rows } = await sql<ClaimedJob>`
    with zero as materialized (${dueJobs(claim, 0, limit)}),
    one as materialized (${dueJobs(claim, 1, bulkLimit)}),
    two as materialized (${dueJobs(claim, 2, bulkLimit)}),
    bulk as (
      select id, place + place / ${sql.lit(SHARES - 1)} as place
      from (select id, ${turn} + row_number() over (order by due_at, id) - 1 as place from one) as numbered
      union all select id, ${sql.lit(SHARES)} * row_number() over (order by due_at, id) - 1 from two
      order by place limit ${bulkLimit}),
    due as (select id, -1 as place from zero union all select id, place from bulk order by place limit ${limit})
    update jobs set tries = tries + 1, due_at = now() + make_interval(secs => ${lease}), last_error = null
    from due where jobs.id = due.id
    returning jobs.id, key, tries, priority, extract(epoch from now() - queued_at)::float8 * 1000 as waited`.execute(
    db,
  )
  return rows.toSorted((one, other) => one.id - other.id)
}

function dueJobs(
  { kind, takesOver, underWay = [] }: Claim,
  priority: Priority,
  limit: number,
): RawBuilder<unknown> {
  return sql`
    select id, due_at from jobs
    where kind = ${kind} and priority = ${sql.lit(priority)} and due_at <= now() and give_up_at > now()
      and (${takesOver} or tries = 0 or last_error is not null) and id <> all(${[...underWay]}::bigint[])
    order by due_at, id limit ${limit} for update skip locked`
}

/** Records that jobs were done. Earlier ones of the same key that were given up have nothing left to do. */
export async function markDone(db: Database, kind: string, jobs: readonly Job[]): Promise<void> {
  await sql`
    delete from jobs where id = any(${jobs.map(({ id }) => id)})
      or (kind = ${kind} and key = any(${jobs.map(({ key }) => key)}) and give_up_at <= now())`.execute(db)
}

/**
 * Records a failed attempt. If another process has claimed a job meanwhile, its outcome counts.
 * @param seconds until the next attempt; null: none, as it can never succeed
 */
export async function markFailed(
  db: Database,
  jobs: readonly Job[],
  reason: string,
  seconds: number | null,
): Promise<void> {
  await sql`
    update jobs set last_error = ${reason.slice(0, 500)},
      due_at = ${seconds === null ? sql`due_at` : sql`now() + make_interval(secs => ${seconds})`},
      give_up_at = ${seconds === null ? sql`now()` : sql`give_up_at`}
    from unnest(${jobs.map(({ id }) => id)}::bigint[], ${jobs.map(({ tries }) => tries)}::integer[]) as failed (id, tries)
    where jobs.id = failed.id and jobs.tries = failed.tries`.execute(db)
}

/** Tries a job that waits or was given up now, and for three more days. @returns null: there is none, or it is being done */
export async function retryJob(db: Database | Write, which: { id: number } | { kind: string; key: string }) {
  const isIt = 'id' in which ? sql`id = ${which.id}` : sql`kind = ${which.kind} and key = ${which.key}`
  const { rows } = await sql<{ kind: string; key: string }>`
    update jobs set due_at = now(), give_up_at = now() + interval '3 days'
    where ${isIt} and (due_at <= now() or last_error is not null or give_up_at <= now())
    returning kind, key`.execute(db)
  return rows[0] ?? null
}

/** Jobs that failed, given up ones first, newest first; at most `limit`. */
export async function listFailedJobs(db: Database, limit: number) {
  const { rows } = await sql<Job & { kind: string; error: string; isGivenUp: boolean }>`
    select id, kind, key, tries, coalesce(last_error, '') as error, give_up_at <= now() as "isGivenUp" from jobs
    where last_error is not null or give_up_at <= now()
    order by give_up_at <= now() desc, id desc limit ${limit}`.execute(db)
  return rows
}

/** Deletes jobs that were given up a month ago. @returns how many */
export function sweepJobs(db: Database): Promise<number> {
  return sweep(db, 'jobs', sql`give_up_at < now() - ${term('jobs')}`)
}

/** Jobs of a kind that are not done. */
export type Waiting = Awaited<ReturnType<typeof countJobs>>[number]

/**
 * @returns `waiting` for their first or next attempt, of these `failing` whose last one failed; `oldest`: how
 * many seconds ago the
 *   oldest of those that wait was added
 */
export async function countJobs(db: Database) {
  const { rows } = await sql<Record<'waiting' | 'failing' | 'givenUp' | 'oldest', number> & { kind: string }>`
    select kind, count(*) filter (where give_up_at > now())::integer as waiting,
      count(*) filter (where give_up_at > now() and last_error is not null)::integer as failing,
      count(*) filter (where give_up_at <= now())::integer as "givenUp",
      coalesce(extract(epoch from now() - min(queued_at) filter (where give_up_at > now())), 0)::float8 as oldest
    from jobs group by kind order by kind`.execute(db)
  return rows
}
