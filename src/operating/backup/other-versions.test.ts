import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { knownMigrations, migrate } from '../../database/migrate.ts'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { aBackup, aTemporaryFolder, restoreInto, schemaOf } from './testing.ts'

/** Before questions had a state, and question_tags what lists go by. */
const OLDER = '009_follows'

test('a backup of an older Handup is brought to what this one needs, in a new database and in a migrated one', async (t) => {
  const source = await newDatabase(t)
  await migrate(source.db, OLDER)
  await fillOlder(source.db)
  const dataDir = await aTemporaryFolder(t)
  const path = await aBackup({ ...source, dataDir }, join(dataDir, 'older.backup'))

  const migrated = await testDatabaseWithUrl(t)
  for (const target of [await newDatabase(t), migrated]) {
    await restoreInto({ url: target.url, dataDir }, path)
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
      target.db,
    )
    assert.deepEqual(
      rows.map(({ name }) => name),
      await knownMigrations(),
    )
    const tags = await target.db
      .selectFrom('question_tags')
      .select(['question_id', 'state', 'votes', 'is_deleted'])
      .execute()
    assert.deepEqual(tags, [{ question_id: 1, state: 3, votes: 0, is_deleted: false }])
    assert.deepEqual(await recount(target.db), [])
    assert.deepEqual(await schemaOf(target.db), await schemaOf(migrated.db))
  }
})

test('a backup of a newer Handup is refused', async (t) => {
  const source = await testDatabaseWithUrl(t)
  await sql`insert into kysely_migration (name, timestamp) values ('999_future', '')`.execute(source.db)
  const dataDir = await aTemporaryFolder(t)
  const path = await aBackup({ ...source, dataDir }, join(dataDir, 'newer.backup'))
  const target = await newDatabase(t)
  await assert.rejects(
    restoreInto({ url: target.url, dataDir }, path),
    /migration 999_future, which this one has not: update it first/,
  )
})

/** Rows as that version wrote them. */
async function fillOlder(db: Database): Promise<void> {
  await sql`insert into people (display_name, questions_count) values ('Mina', 1)`.execute(db)
  await sql`
    insert into courses (slug, title, questions_count, resolved_count, unanswered_count) values ('rest', 'REST', 1, 1, 1)`.execute(
    db,
  )
  await sql`insert into categories (course_id, slug, name) values (1, 'questions-and-answers', 'Q')`.execute(
    db,
  )
  await sql`
    insert into questions (course_id, category_id, author_id, title, body, body_html, renderer_version, status)
    values (1, 1, 1, 'How?', 'So?', '<p>So?</p>', 1, 'resolved')`.execute(db)
  await sql`insert into tags (name) values ('json')`.execute(db)
  await sql`insert into course_tags (course_id, tag_id, questions_count) values (1, 1, 1)`.execute(db)
  await sql`insert into question_tags (question_id, position, tag_id) values (1, 1, 1)`.execute(db)
}
