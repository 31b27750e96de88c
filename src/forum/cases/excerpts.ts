import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { excerpt } from '../../text/plain.ts'
import { EXCERPT } from './open-case.ts'

/** Texts in memory at a time. */
const BATCH = 50

interface Kept {
  readonly case_id: number
  readonly text_version: string
  readonly body: string
}

/** Makes the excerpts of texts that cases kept before there were any. What was redacted meanwhile gets none. */
export async function fillExcerpts(db: Database, isStopping: () => boolean): Promise<void> {
  while (!isStopping()) {
    const { rows } = await sql<Kept>`
      select case_id, text_version, body from case_snapshots
      where excerpt is null and body is not null order by case_id limit ${BATCH}`.execute(db)
    if (rows.length === 0) return
    const texts = await prepareMarkdown(rows.map(({ body }) => body))
    const excerpts = texts.map(({ html }) => excerpt(html, EXCERPT))
    await sql`
      update case_snapshots as kept set excerpt = made.excerpt
      from unnest(${rows.map((row) => row.case_id)}::bigint[], ${rows.map((row) => row.text_version)}::text[],
        ${excerpts}::text[]) as made (case_id, text_version, excerpt)
      where kept.case_id = made.case_id and kept.text_version = made.text_version and kept.redacted_at is null`.execute(
      db,
    )
  }
}
