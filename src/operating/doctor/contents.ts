import { sql } from 'kysely'
import { MAX_REPORTED, recount } from '../../database/recount.ts'
import type { Database, Write } from '../../database/schema.ts'
import { countStale, POST_TABLES } from '../../forum/posts/rerendering.ts'
import { countStaleDocuments } from '../../forum/search/reindex.ts'
import { type Finding, ok, problem, type WordedFinding, worded } from './finding.ts'

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
  const [count, total] = [await countStalePosts(db), await countPosts(db)]
  return count === 0
    ? worded('ok', 'posts', 'fresh')
    : worded('warning', 'posts', 'progress', { count, total })
}

async function countStalePosts(db: Database | Write): Promise<number> {
  let stale = 0
  for (const table of POST_TABLES) stale += await countStale(db, table, 'older')
  return stale
}

async function countPosts(db: Database): Promise<number> {
  let posts = 0
  for (const table of POST_TABLES) posts += await countStale(db, table, 'all')
  return posts
}

const found = (check: string, stale: number): WordedFinding =>
  stale === 0 ? worded('ok', check, 'fresh') : worded('warning', check, 'stale', { count: stale })

/** Checks that read the whole forum: /admin shows what the last run found. */
const NOTED = { search: countStaleDocuments, posts: countStalePosts } as const

/** Counts what they count, and notes it. */
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
export async function notedContents(
  db: Database,
): Promise<{ readonly finding: WordedFinding; readonly checkedAt: Date | null }[]> {
  const noted = await db.selectFrom('noted_checks').selectAll().execute()
  return Object.keys(NOTED).map((check) => {
    const last = noted.find(({ name }) => name === check)
    return last === undefined
      ? { finding: worded('ok', check, 'unknown'), checkedAt: null }
      : { finding: found(check, last.found), checkedAt: last.checked_at }
  })
}

/** Checks that the forum has an admin. */
export async function checkAdmins(db: Database): Promise<WordedFinding> {
  const { admins } = await db
    .selectFrom('people')
    .select(({ fn }) => fn.countAll<number>().as('admins'))
    .where('is_admin', '=', true)
    .executeTakeFirstOrThrow()
  return admins > 0 ? worded('ok', 'admins', 'some', { admins }) : worded('warning', 'admins', 'none')
}
