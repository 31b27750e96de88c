import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { aQuestion, aReply } from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'
import type { Database } from './schema.ts'

const TABLES = ['questions', 'answers', 'replies'] as const
const TIMES = ['deleted_at', 'held_at', 'hidden_at'] as const

test('a post is shown while it is neither deleted nor held nor hidden; nothing else decides it', async (t) => {
  const db = await testDatabase(t)
  await aReply(db)
  for (const table of TABLES) {
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(`${table}_held_for_held`)}`.execute(
      db,
    )
    for (const [one, other] of [TIMES, [...TIMES].reverse()]) {
      assert.deepEqual(await shown(db, table), [true])
      if (one === undefined || other === undefined) continue
      await sql`update ${sql.table(table)} set ${sql.ref(one)} = now(), ${sql.ref(other)} = now()`.execute(db)
      assert.deepEqual(await shown(db, table), [false], `${table} ${one} ${other}`)
      await sql`update ${sql.table(table)} set ${sql.ref(one)} = null, is_shown = true`.execute(db)
      assert.deepEqual(await shown(db, table), [false], `${table} ${other}`)
      await sql`update ${sql.table(table)} set ${sql.ref(other)} = null, is_shown = false`.execute(db)
    }
  }
})

test('a question is listed while it is shown and not private', async (t) => {
  const db = await testDatabase(t)
  const { id } = await aQuestion(db)
  await aQuestion(db, { audience: 'staff' })
  const listed = async () => {
    const { rows } = await sql<{ id: number }>`select id from questions where is_listed`.execute(db)
    return rows.map((row) => row.id)
  }
  assert.deepEqual(await listed(), [id])
  await sql`update questions set hidden_at = now() where id = ${id}`.execute(db)
  assert.deepEqual(await listed(), [])
  await sql`update questions set hidden_at = null, audience = 'staff' where id = ${id}`.execute(db)
  assert.deepEqual(await listed(), [])
  await sql`update questions set audience = 'course', is_listed = false where id = ${id}`.execute(db)
  assert.deepEqual(await listed(), [id])
})

test('without its trigger no post is shown or listed against its times', async (t) => {
  const db = await testDatabase(t)
  await aReply(db)
  for (const table of TABLES) {
    const trigger = table === 'questions' ? 'questions_note' : `${table}_keep_shown`
    await sql`alter table ${sql.table(table)} disable trigger ${sql.ref(trigger)}`.execute(db)
    await assert.rejects(
      sql`update ${sql.table(table)} set held_at = now(), held_for = 'all'`.execute(db),
      new RegExp(`${table}_is_shown_kept`),
    )
  }
  await assert.rejects(sql`update questions set audience = 'staff'`.execute(db), /questions_is_listed_kept/)
})

async function shown(db: Database, table: (typeof TABLES)[number]): Promise<boolean[]> {
  const rows = await db.selectFrom(table).select('is_shown').orderBy('id').execute()
  return rows.map((row) => row.is_shown)
}
