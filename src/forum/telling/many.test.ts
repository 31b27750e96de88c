import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { anAnswer, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'

const FOLLOWERS = 3000

test(`an answer tells ${FOLLOWERS} followers in one statement, and their processes in some messages`, async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db)
  await sql`
    with made as (insert into people (display_name, email, email_confirmed_at)
      select 'Follower ' || number, 'follower-' || number || '@example.com', now() from generate_series(1, ${FOLLOWERS}) as number
      returning id)
    insert into question_follows (question_id, person_id) select ${question.id}::bigint, id from made`.execute(
    db,
  )
  for (const times of [1, 2]) {
    await anAnswer(db, { question })
    const { rows } = await sql<{ told: number; highest: number }>`
      select count(*)::integer as told, max(count) as highest from notifications where reason = 'followed'`.execute(
      db,
    )
    assert.deepEqual(rows, [{ told: FOLLOWERS + times - 1, highest: times }])
  }
})
