import { sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import { prepareMarkdown, RENDERER_VERSION } from '../../text/markdown.ts'
import { POST_TABLES, type PostTable } from './kinds.ts'

export type Stale = 'older' | 'all'

/** Posts in memory at a time; a post has 30,000 characters at most, an imported one may have more. */
const BATCH = 100

export async function countStale(db: Database | Write, table: PostTable, stale: Stale): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${sql.table(table)} where ${isStale(stale)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Renders again what an older version rendered: while the forum runs, after an upgrade. */
export async function renderStalePosts(db: Database, isStopping: () => boolean): Promise<void> {
  for (const table of POST_TABLES) await rerender(db, table, 'older', () => undefined, isStopping)
}

/**
 * Renders posts again, in batches by id: constant memory, and a run that is ended goes on where it was (with 'older').
 * A post that is edited meanwhile keeps what the edit made of it.
 * @param onProgress told the number of posts of each batch. @param isStopping ends it after a batch
 */
export async function rerender(
  db: Database,
  table: PostTable,
  stale: Stale,
  onProgress: (posts: number) => void,
  isStopping: () => boolean = () => false,
): Promise<void> {
  let last = 0
  while (!isStopping()) {
    const { rows: posts } = await sql<Source>`
      select id, version, body from ${sql.table(table)}
      where id > ${last} and ${isStale(stale)} order by id limit ${BATCH}`.execute(db)
    const final = posts.at(-1)
    if (final === undefined) return
    await saveHtml(db, table, posts)
    onProgress(posts.length)
    last = final.id
  }
}

type Source = Pick<Row<'answers'>, 'id' | 'version' | 'body'>

async function saveHtml(db: Database, table: PostTable, posts: readonly Source[]): Promise<void> {
  const ids = posts.map((post) => post.id)
  const versions = posts.map((post) => post.version)
  const rendered = await prepareMarkdown(posts.map(({ body }) => body))
  const htmls = rendered.map(({ html }) => html)
  await sql`
    update ${sql.table(table)} as post set body_html = made.html, renderer_version = ${RENDERER_VERSION}
    from unnest(${ids}::bigint[], ${versions}::integer[], ${htmls}::text[]) as made (id, version, html)
    where post.id = made.id and post.version = made.version`.execute(db)
}

function isStale(stale: Stale) {
  return stale === 'all' ? sql`true` : sql`renderer_version < ${RENDERER_VERSION}`
}
