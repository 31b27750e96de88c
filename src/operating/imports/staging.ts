import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { batches } from '../foreign/bulk.ts'
import { cleanText } from '../foreign/clean-text.ts'
import type { CourseImport } from './course-import.ts'
import type { DumpFolder, DumpRow } from './dump.ts'

/**
 * Lookup data of an import in temporary tables, which end with the transaction: a dump may exceed the memory. None of
 * it is part of the forum's schema.
 */
export async function createStaging(write: Write): Promise<void> {
  await sql`
    create temporary table dump_users (
      source_id bigint primary key, display_name text not null, joined_at timestamptz not null,
      is_former boolean not null
    ) on commit drop;
    create temporary table dump_sources (
      post_id bigint primary key, markdown text not null, written_at timestamptz not null, revision_id bigint not null
    ) on commit drop;
    create temporary table dump_other_posts (source_id bigint primary key) on commit drop;
    create temporary table dump_accepted (question_id bigint primary key, answer_source_id bigint not null, is_new boolean not null)
    on commit drop;
    create temporary table dump_question_tags (
      question_id bigint not null, position integer not null, name text not null, primary key (question_id, name)
    ) on commit drop;
    create temporary table dump_new_people (source_id bigint primary key) on commit drop;
    create temporary table dump_authors (person_id bigint primary key) on commit drop;
    create temporary table dump_threads (question_id bigint primary key, is_new boolean not null) on commit drop`.execute(
    write,
  )
}

/** Rows for one of the tables above. Of rows with the same key the first is kept. */
export async function stageRows(write: Write, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into ${sql.table(table)} select * from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})
    on conflict do nothing`.execute(write)
}

export async function stageThreads(
  write: Write,
  posts: readonly { readonly question_id: number }[],
): Promise<void> {
  const ids = [...new Set(posts.map((post) => post.question_id))]
  await stageRows(
    write,
    'dump_threads',
    ids.map((id) => ({ question_id: id, is_new: false })),
  )
}

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

/** Posts of the dump with their ids here. */
type KnownPosts = readonly { readonly id: number; readonly row: DumpRow }[]

/** Says which changes of the dump are not taken over, since they may have been made here as well: edits and scores. */
export async function noteLaterChanges(
  { write, tally }: CourseImport,
  table: 'questions' | 'answers',
  posts: KnownPosts,
): Promise<void> {
  if (posts.length === 0) return
  const { rows } = await sql<{ edited: number; scored: number }>`
    select count(*) filter (where dump.edited_at > coalesce(post.edited_at, post.written_at)) as edited,
      count(*) filter (where dump.score <> post.imported_votes_count) as scored
    from ${sql.table(table)} as post
    join unnest(${posts.map(({ id }) => id)}::bigint[], ${posts.map(({ row }) => row.count('Score'))}::integer[],
      ${posts.map(({ row }) => row.optionalTime('LastEditDate'))}::timestamptz[]) as dump (id, score, edited_at) using (id)`.execute(
    write,
  )
  const { edited = 0, scored = 0 } = rows[0] ?? {}
  tally.note(`${table} imported before, and edited in the dump since: edits are not taken`, edited)
  tally.note(`${table} imported before, with another score in the dump: scores are not taken`, scored)
}

/** Which answers the dump says are accepted, of new questions and of those that an earlier import brought. */
export async function stageAccepted(
  { write }: CourseImport,
  questions: KnownPosts,
  isNew: boolean,
): Promise<void> {
  const accepted = questions.flatMap(({ id, row }) => {
    const answer = row.optionalId('AcceptedAnswerId')
    return answer === null ? [] : [{ question_id: id, answer_source_id: answer, is_new: isNew }]
  })
  await stageRows(write, 'dump_accepted', accepted)
}
