import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { anAnswer, aPerson, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { setRows } from '../../testing/rows.ts'
import { writeMails } from '../mailing/testing.ts'

const FOLLOWERS = 3000

/** A question that so many people follow, who have never been there. */
async function aFollowed(db: Database, followers: number): Promise<MadeQuestion> {
  const question = await aQuestion(db)
  await sql`
    with made as (insert into people (display_name, email, email_confirmed_at)
      select 'Follower ' || number, 'follower-' || number || '@example.com', now() from generate_series(1, ${followers}) as number
      returning id)
    insert into question_follows (question_id, person_id)
      select ${question.id}::bigint, id from made`.execute(db)
  return question
}

test(`an answer tells ${FOLLOWERS} followers in one statement, and their processes in some messages`, async (t) => {
  const db = await testDatabase(t)
  const question = await aFollowed(db, FOLLOWERS)
  for (const times of [1, 2]) {
    await anAnswer(db, { question })
    const { rows } = await sql<{ told: number; highest: number }>`
      select count(*)::integer as told, max(count) as highest
      from notifications where reason = 'followed'`.execute(db)
    assert.deepEqual(rows, [{ told: FOLLOWERS + times - 1, highest: times }])
  }
})

test('a hundred answers in a minute to a question that many follow are one mail to each', async (t) => {
  const db = await testDatabase(t)
  const followers = Number(process.env.FOLLOWERS ?? 30)
  const question = await aFollowed(db, followers)
  const [answers, author] = [100, await aPerson(db)]
  for (let number = 1; number <= answers; number += 1)
    await anAnswer(db, { question, author, body: `Number ${number}.` })
  assert.equal(await writeMails(db, { soonSeconds: 300 }), 0, 'the window is open')
  const earlier = (column: string) => sql<Date>`${sql.ref(column)} - interval '5 minutes'`
  await setRows(db, 'delivery_windows', {}, { begins_at: earlier('begins_at'), ends_at: earlier('ends_at') })
  await writeMails(db, { soonSeconds: 300 })
  const { rows } = await sql<{ people: number; mails: number; posts: number }>`
    select count(distinct person_id)::integer as people, count(*)::integer as mails,
      min(regexp_count(text, 'Number [0-9]+\\.'))::integer as posts
    from mails join question_follows using (person_id)
    where question_id = ${question.id} and person_id not in (${question.authorId}, ${author.id})`.execute(db)
  assert.deepEqual(rows, [{ people: followers, mails: followers, posts: 20 }])
  assert.equal(await writeMails(db, { soonSeconds: 300 }), 0)
})
