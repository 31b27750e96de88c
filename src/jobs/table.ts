import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../database/schema.ts'
import { sweep } from '../database/sweep.ts'
import { term } from '../database/terms.ts'

/** A job that is being done. */
export interface Job {
  readonly id: number
  /** What it is about, such as the id of a mail. */
  readonly key: string
  /** Including this one. */
  readonly tries: number
}

/** A claimed job, and how many milliseconds it had waited. */
export interface ClaimedJob extends Job {
  readonly waited: number
}

/** Has something done after this transaction, if and only if it commits. Jobs of one kind and key are done as one. */
export async function enqueue(write: Database | Write, kind: string, key: string | number): Promise<void> {
  await write
    .insertInto('jobs')
    .values({ kind, key: String(key) })
    .execute()
}

/** Whether a job waits, or is being done: not one that was given up. @param key as an expression of SQL. Uses index jobs_key. */
export function isQueued(kind: string, key: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from jobs where jobs.kind = ${kind} and jobs.key = ${key} and jobs.give_up_at > now())`
}

/** Jobs that a plan adds at once. */
const MAX_PLANNED = 100

/**
 * Adds a job for each that is due and has none, those first that are due the longest: one that fails each time keeps none of the
 * others.
 * @param due a query with the columns `key` and `at`
 */
export async function enqueueDue(db: Database, kind: string, due: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into jobs (kind, key) select ${kind}, key::text from (${due}) as due
    where not ${isQueued(kind, sql`due.key::text`)} order by at, key limit ${MAX_PLANNED}`.execute(db)
}

export interface Claim {
  readonly kind: string
  readonly limit: number
  /** How many of `limit` may be of those that come after all others. */
  readonly bulkLimit: number
  /** Seconds after which another process may do them. */
  readonly lease: number
  /** Whether to take jobs whose lease, of another process, has expired. */
  readonly takesOver: boolean
}

/** Claims due jobs; concurrent processes get different ones. */
export async function claimJobs(db: Database, claim: Claim): Promise<ClaimedJob[]> {
  const { kind, limit, bulkLimit, lease, takesOver } = claim
  const { rows } = await sql<ClaimedJob>`
    with due as materialized (
      select id from jobs
      where kind = ${kind} and due_at <= now() and give_up_at > now() and (not is_bulk or ${bulkLimit} > 0)
        and (${takesOver} or tries = 0 or last_error is not null)
      order by is_bulk, due_at, id limit ${bulkLimit === 0 ? limit : Math.min(limit, bulkLimit)} for update skip locked)
    update jobs set tries = tries + 1, due_at = now() + make_interval(secs => ${lease}), last_error = null
    from due where jobs.id = due.id
    returning jobs.id, key, tries, extract(epoch from now() - queued_at)::float8 * 1000 as waited`.execute(db)
  return rows.toSorted((one, other) => one.id - other.id)
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
export async function retryJob(
  db: Database,
  which: { readonly id: number } | { readonly kind: string; readonly key: string },
): Promise<{ readonly kind: string; readonly key: string } | null> {
  const isIt = 'id' in which ? sql`id = ${which.id}` : sql`kind = ${which.kind} and key = ${which.key}`
  const { rows } = await sql<{ kind: string; key: string }>`
    update jobs set due_at = now(), give_up_at = now() + interval '3 days'
    where ${isIt} and (due_at <= now() or last_error is not null or give_up_at <= now())
    returning kind, key`.execute(db)
  return rows[0] ?? null
}

/** A job whose last attempt failed. */
export interface FailedJob extends Job {
  readonly kind: string
  readonly error: string
  readonly isGivenUp: boolean
}

/** Jobs that failed, given up ones first, newest first; at most `limit`. */
export async function listFailedJobs(db: Database, limit: number): Promise<FailedJob[]> {
  const { rows } = await sql<FailedJob>`
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
export interface Waiting {
  readonly kind: string
  /** For their first or next attempt. */
  readonly waiting: number
  /** Of these: their last attempt failed. */
  readonly failing: number
  readonly givenUp: number
  /** How many seconds ago the oldest of those that wait was added. */
  readonly oldest: number
}

/** What is not done, by kind. */
export async function countJobs(db: Database): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select kind, count(*) filter (where give_up_at > now())::integer as waiting,
      count(*) filter (where give_up_at > now() and last_error is not null)::integer as failing,
      count(*) filter (where give_up_at <= now())::integer as "givenUp",
      coalesce(extract(epoch from now() - min(queued_at) filter (where give_up_at > now())), 0)::float8 as oldest
    from jobs group by kind order by kind`.execute(db)
  return rows
}
