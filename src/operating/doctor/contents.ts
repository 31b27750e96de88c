import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import { isReadOnly, isRefused } from '../../database/failures.ts'
import { appliedMigrations } from '../../database/migrations/applied.ts'
import {
  differencesFromFresh,
  repairOf,
  type SchemaDifference,
  toldDifference,
} from '../../database/migrations/schema-objects.ts'
import { MAX_REPORTED, recount } from '../../database/recount.ts'
import type { Database, Write } from '../../database/schema.ts'
import { POST_TABLES } from '../../forum/posts/kinds.ts'
import { countStale } from '../../forum/posts/rerendering.ts'
import { countStaleDocuments } from '../../forum/search/index-question.ts'
import { countJobs, type Waiting } from '../../jobs/table.ts'
import { MAIL } from '../../mail/outbox.ts'
import { type Finding, ok, problem, type WordedFinding, warning, worded } from './finding.ts'

/**
 * Compares every counter with what it counts. Concurrent writes cause no difference: each table is read in one
 * snapshot.
 */
export async function checkCounters(db: Database): Promise<Finding> {
  const differences = await recount(db)
  if (differences.length === 0) return ok('counters', 'all correct')
  const number = differences.length < MAX_REPORTED ? `${differences.length}` : `${MAX_REPORTED} or more`
  return problem('counters', `wrong: ${number}`, 'npm run handup -- recount --fix')
}

export async function checkSearch(db: Database): Promise<WordedFinding> {
  return found('search', await countStaleDocuments(db))
}

export async function checkPosts(db: Database): Promise<WordedFinding> {
  const [count, total] = [await countPosts(db), await countPosts(db, 'all')]
  return count === 0
    ? worded('ok', 'posts', 'fresh')
    : worded('warning', 'posts', 'progress', { count, total })
}

async function countPosts(db: Database | Write, which: 'older' | 'all' = 'older'): Promise<number> {
  let posts = 0
  for (const table of POST_TABLES) posts += await countStale(db, table, which)
  return posts
}

const found = (check: string, stale: number): WordedFinding =>
  stale === 0 ? worded('ok', check, 'fresh') : worded('warning', check, 'stale', { count: stale })

/** Checks that read the whole forum: /admin shows what the last run found. */
const NOTED = { search: countStaleDocuments, posts: (write: Write) => countPosts(write) } as const

export async function noteContents(db: Database): Promise<void> {
  for (const [name, count] of Object.entries(NOTED)) {
    const stale = await db.transaction().execute(async (write) => {
      await sql`set local statement_timeout = '5min'`.execute(write)
      return count(write)
    })
    await db
      .insertInto('noted_checks')
      .values({ name, found: stale })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet({ found: stale, checked_at: sql<Date>`now()` }),
      )
      .execute()
  }
}

/** What was noted last, and when; null: not yet, as the forum has just been started for the first time. */
export async function notedContents(db: Database) {
  const noted = await db.selectFrom('noted_checks').selectAll().execute()
  return Object.keys(NOTED).map((check) => {
    const last = noted.find(({ name }) => name === check)
    return last === undefined
      ? { finding: worded('ok', check, 'unknown'), checkedAt: null }
      : { finding: found(check, last.found), checkedAt: last.checked_at }
  })
}

export async function checkAdmins(db: Database): Promise<WordedFinding> {
  const { admins } = await db
    .selectFrom('people')
    .select(({ fn }) => fn.countAll<number>().as('admins'))
    .where('is_admin', '=', true)
    .executeTakeFirstOrThrow()
  return admins > 0 ? worded('ok', 'admins', 'some', { admins }) : worded('warning', 'admins', 'none')
}

const LATE_SECONDS = 900

/**
 * Checks for jobs that failed or are late, and says more of each kind in English. Without a mail server
 * emails aren't late.
 */
export async function checkJobs(db: Database, { smtpUrl }: Config): Promise<WordedFinding> {
  const kinds = await countJobs(db)
  const says = kinds
    .filter(({ waiting, givenUp }) => waiting + givenUp > 0)
    .map(({ kind, waiting, failing, givenUp, oldest }) => {
      const minutes = Math.round(oldest / 60)
      return `${kind}: ${waiting} waiting (${failing} failing, the oldest for ${minutes} min), ${givenUp} given up`
    })
    .join('; ')
  const isFine = kinds
    .filter(({ kind }) => kind !== MAIL || smtpUrl !== null)
    .every(({ givenUp, oldest }) => givenUp === 0 && oldest < LATE_SECONDS)
  const sum = (of: (kind: Waiting) => number) => kinds.reduce((all, kind) => all + of(kind), 0)
  const values = { waiting: sum(({ waiting }) => waiting), givenUp: sum(({ givenUp }) => givenUp) }
  if (says === '') return worded('ok', 'jobs', 'none')
  return {
    ...(isFine ? worded('ok', 'jobs', 'some', values) : worded('warning', 'jobs', 'late', values)),
    says,
  }
}

const NAMED = 5

/** Compares tables, functions, triggers, indexes and constraints with those of a new database. */
export async function checkSchema(db: Database): Promise<Finding> {
  const differences = await differencesFromFresh(db, await appliedMigrations(db)).catch(unlessForbidden)
  if (differences instanceof Error)
    return warning(
      'schema',
      `not compared: no schema can be created beside it: ${differences.message}`,
      'use the database’s owner, on the primary',
    )
  if (differences.length === 0) return ok('schema', 'as db/schema and its migrations create it')
  const wrong = differences.filter(({ wanted }) => wanted !== null)
  const told = wrong.length === 0 ? differences : wrong
  const named = told.map(toldDifference)
  const says =
    named.slice(0, NAMED).join(', ') + (named.length > NAMED ? ` and ${named.length - NAMED} more` : '')
  if (wrong.length === 0)
    return warning('schema', says, `unless they are yours, ${run(inOrder(differences).toReversed())}`)
  return problem(
    'schema',
    says,
    wrong.some((difference) => repairOf(difference) === null)
      ? 'take a backup, and restore it into an empty database, whose tables are as they should be'
      : run(inOrder(wrong)),
  )
}

/** Triggers call functions, and foreign keys need unique indexes. */
function inOrder(differences: readonly SchemaDifference[]): SchemaDifference[] {
  const kinds = ['function', 'index', 'constraint', 'trigger']
  const place = ({ wanted, found }: SchemaDifference) => kinds.indexOf((wanted ?? found)?.kind ?? '')
  return differences.toSorted((one, other) => place(one) - place(other))
}

const run = (differences: readonly SchemaDifference[]) =>
  ['run as the owner of the database:', ...differences.map(repairOf)].join('\n')

function unlessForbidden(error: unknown): Error {
  if (error instanceof Error && (isReadOnly(error) || isRefused(error))) return error
  throw error
}
