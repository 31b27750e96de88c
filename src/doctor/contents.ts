import { MOST_TOLD, recount } from '../database/recount.ts'
import type { Database } from '../database/schema.ts'
import { countStale, POST_TABLES } from '../questions/rerendering.ts'
import { countStaleDocuments } from '../search/reindex.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Compares every counter with what it counts. Writers beside it are no difference: each table is read at one moment. */
export async function checkCounters(db: Database): Promise<Finding> {
  const differences = await recount(db)
  if (differences.length === 0) return ok('counters', 'each is what it counts')
  const number = differences.length < MOST_TOLD ? `${differences.length}` : `${MOST_TOLD} or more`
  return problem('counters', `wrong: ${number}`, 'npm run handup -- recount --fix')
}

export async function checkSearch(db: Database): Promise<Finding> {
  const stale = await countStaleDocuments(db)
  if (stale === 0) return ok('search', 'finds every question by this version’s rules')
  return warning(
    'search',
    `questions not found, or by an older version’s rules: ${stale}`,
    'npm run handup -- reindex (a running forum does it within the hour)',
  )
}

export async function checkPosts(db: Database): Promise<Finding> {
  let stale = 0
  for (const table of POST_TABLES) stale += await countStale(db, table, 'older')
  if (stale === 0) return ok('posts', 'all shown as this version does')
  return warning('posts', `shown as an older version did: ${stale}`, 'npm run handup -- rerender')
}

/** Somebody has to be able to look after the forum. */
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
