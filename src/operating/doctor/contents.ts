import { MAX_REPORTED, recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { countStale, POST_TABLES } from '../../forum/questions/rerendering.ts'
import { countStaleDocuments } from '../../forum/search/reindex.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

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

export async function checkSearch(db: Database): Promise<Finding> {
  const stale = await countStaleDocuments(db)
  if (stale === 0) return ok('search', 'every question is up to date')
  return warning(
    'search',
    `questions missing or outdated: ${stale}`,
    'npm run handup -- reindex (a running forum does it within the hour)',
  )
}

export async function checkPosts(db: Database): Promise<Finding> {
  let stale = 0
  for (const table of POST_TABLES) stale += await countStale(db, table, 'older')
  if (stale === 0) return ok('posts', 'all rendered by this version')
  return warning('posts', `rendered by an older version: ${stale}`, 'npm run handup -- rerender')
}

/** Checks that the forum has an admin. */
export async function checkAdmins(db: Database): Promise<Finding> {
  const { admins, people } = await db
    .selectFrom('people')
    .select(({ fn }) => [
      fn.countAll<number>().as('people'),
      fn.countAll<number>().filterWhere('is_admin', '=', true).as('admins'),
    ])
    .executeTakeFirstOrThrow()
  if (admins > 0) return ok('admins', `${admins} of ${people} accounts`)
  return warning(
    'admins',
    `none among ${people} accounts`,
    'npm run handup -- user create --admin --email ADDRESS --name NAME',
  )
}
