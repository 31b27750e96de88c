import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { batches } from './bulk.ts'
import { cleanText } from './clean-text.ts'
import type { DumpFolder } from './dump-folder.ts'
import type { DumpRow } from './dump-row.ts'

/** PostHistoryTypeId of revisions that carry a body: initial, edit, rollback. */
const BODIES = new Set([2, 5, 8])

/** Stages the Markdown of each post's latest revision. Dumps without PostHistory.xml have none. */
export async function stageSources(write: Write, dump: DumpFolder): Promise<void> {
  for await (const batch of batches(bodies(dump), (row) => row.text('Text')?.length ?? 0)) {
    const latest = new Map<number, ReturnType<typeof revisionOf>>()
    for (const row of batch) {
      const revision = revisionOf(row)
      const other = latest.get(revision.post_id)
      if (other === undefined || isLater(revision, other)) latest.set(revision.post_id, revision)
    }
    await sql`
      insert into dump_sources
      select * from json_populate_recordset(null::dump_sources, ${JSON.stringify([...latest.values()])})
      on conflict (post_id) do update
      set markdown = excluded.markdown, written_at = excluded.written_at, revision_id = excluded.revision_id
      where (excluded.written_at, excluded.revision_id) > (dump_sources.written_at, dump_sources.revision_id)`.execute(
      write,
    )
  }
}

/** The Markdown of these posts, where the dump has it: source id → Markdown. */
export async function findSources(write: Write, sourceIds: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await sql<{ post_id: number; markdown: string }>`
    select post_id, markdown from dump_sources where post_id = any(${sourceIds}::bigint[])`.execute(write)
  return new Map(rows.map((row) => [row.post_id, row.markdown]))
}

async function* bodies(dump: DumpFolder): AsyncGenerator<DumpRow> {
  for await (const row of dump.rows('posthistory')) {
    if (BODIES.has(row.id('PostHistoryTypeId')) && row.text('Text') !== null) yield row
  }
}

function revisionOf(row: DumpRow) {
  return {
    post_id: row.id('PostId'),
    markdown: cleanText(row.requiredText('Text')),
    written_at: row.time('CreationDate'),
    revision_id: row.id('Id'),
  }
}

type Revision = ReturnType<typeof revisionOf>

function isLater(one: Revision, other: Revision): boolean {
  const later = one.written_at.getTime() - other.written_at.getTime()
  return later > 0 || (later === 0 && one.revision_id > other.revision_id)
}
