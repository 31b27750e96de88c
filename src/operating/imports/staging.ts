import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'

/**
 * Lookup data of an import in temporary tables, which end with the transaction: a dump may exceed the memory. None of
 * it is part of the forum's schema.
 */
export async function createStaging(write: Write): Promise<void> {
  await sql`
    create temporary table dump_users (
      source_id bigint primary key, display_name text not null, joined_at timestamptz not null,
      is_former boolean not null
    ) on commit drop`.execute(write)
  await sql`
    create temporary table dump_sources (
      post_id bigint primary key, markdown text not null, written_at timestamptz not null, revision_id bigint not null
    ) on commit drop`.execute(write)
  await sql`create temporary table dump_other_posts (source_id bigint primary key) on commit drop`.execute(
    write,
  )
  await sql`
    create temporary table dump_accepted (question_id bigint primary key, answer_source_id bigint not null, is_new boolean not null)
    on commit drop`.execute(write)
  await sql`
    create temporary table dump_question_tags (
      question_id bigint not null, position integer not null, name text not null, primary key (question_id, name)
    ) on commit drop`.execute(write)
  await sql`
    create temporary table dump_new_people (source_id bigint primary key) on commit drop`.execute(write)
  await sql`
    create temporary table dump_authors (person_id bigint primary key) on commit drop`.execute(write)
  await sql`
    create temporary table dump_threads (question_id bigint primary key, is_new boolean not null)
    on commit drop`.execute(write)
}

/** Rows for one of the tables above. Of rows with the same key the first is kept. */
export async function stageRows(write: Write, table: string, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into ${sql.table(table)} select * from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})
    on conflict do nothing`.execute(write)
}

/** Records which existing questions got new posts. */
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
