import type { Command } from 'commander'
import type { Database } from '../../database/schema.ts'
import { POST_TABLES, type PostTable } from '../../forum/posts/kinds.ts'
import { countStale, rerender, type Stale } from '../../forum/posts/rerendering.ts'
import { progress } from './progress.ts'
import { withDatabase } from './run.ts'

export function addRerender(program: Command): void {
  program
    .command('rerender')
    .description('render posts again that an older version rendered')
    .option('--all', 'all posts')
    .action(async ({ all = false }: { all?: boolean }) => {
      await withDatabase(({ db }) => rerenderAll(db, all ? 'all' : 'older'))
    })
}

async function rerenderAll(db: Database, stale: Stale): Promise<void> {
  let total = 0
  for (const table of POST_TABLES) total += await rerenderTable(db, table, stale)
  console.log(total === 0 ? 'every post is up to date' : `rendered ${total} posts again`)
}

async function rerenderTable(db: Database, table: PostTable, stale: Stale): Promise<number> {
  const total = await countStale(db, table, stale)
  if (total === 0) return 0
  const shown = progress(`Rendering ${table}`, total)
  try {
    await rerender(db, table, stale, (posts) => shown.advance(posts))
  } finally {
    shown.done()
  }
  return total
}
