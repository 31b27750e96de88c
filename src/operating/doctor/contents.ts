import { MAX_REPORTED, recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { countStale, POST_TABLES } from '../../forum/questions/rerendering.ts'
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
  const stale = await countStaleDocuments(db)
  return stale === 0
    ? worded('ok', 'search', 'fresh')
    : worded('warning', 'search', 'stale', { count: stale })
}

export async function checkPosts(db: Database): Promise<WordedFinding> {
  let stale = 0
  for (const table of POST_TABLES) stale += await countStale(db, table, 'older')
  return stale === 0 ? worded('ok', 'posts', 'fresh') : worded('warning', 'posts', 'stale', { count: stale })
}

/** Checks that the forum has an admin. */
export async function checkAdmins(db: Database): Promise<WordedFinding> {
  const { admins, people } = await db
    .selectFrom('people')
    .select(({ fn }) => [
      fn.countAll<number>().as('people'),
      fn.countAll<number>().filterWhere('is_admin', '=', true).as('admins'),
    ])
    .executeTakeFirstOrThrow()
  return admins > 0
    ? worded('ok', 'admins', 'some', { admins, people })
    : worded('warning', 'admins', 'none', { people })
}
