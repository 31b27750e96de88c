import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { aCourse, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { MISSED_BY, sweepUnconfirmed } from './unconfirmed.ts'

test('each column that would refuse the deletion of a person is asked first', async (t) => {
  const db = await testDatabase(t)
  const { rows } = await sql<{ place: string }>`
    select conrelid::regclass::text || '.' || attname as place
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
    where contype = 'f' and confrelid = 'people'::regclass and confdeltype = 'r' order by 1`.execute(db)
  assert.ok(rows.length >= 19)
  const asked: readonly string[] = MISSED_BY
  assert.deepEqual(
    rows.map(({ place }) => place).filter((place) => !asked.includes(place)),
    [],
  )
})

test('an account of which one thing is left keeps no other from being deleted', async (t) => {
  const db = await testDatabase(t)
  const unconfirmed = () => aPerson(db, { isConfirmed: false })
  const [endorser, pinner, drafter, follower] = [
    await unconfirmed(),
    await unconfirmed(),
    await unconfirmed(),
    await unconfirmed(),
  ]
  for (let number = 0; number < 100; number += 1) await unconfirmed()
  const course = await aCourse(db)
  const question = await aQuestion(db, { course })
  await anAnswer(db, { question })
  await sql`update answers set endorsed_by = ${endorser.id}, endorsed_at = now()`.execute(db)
  await sql`insert into pins (question_id, course_id, pinned_by, until)
    values (${question.id}, ${course.id}, ${pinner.id}, now() + interval '1 day')`.execute(db)
  await sql`insert into drafts (person_id, place, fields, saved_at) values (${drafter.id}, '/ask', '{}', now())`.execute(
    db,
  )
  await sql`insert into course_follows (course_id, person_id, is_followed) values (${course.id}, ${follower.id}, true)`.execute(
    db,
  )
  await sql`update people set joined_at = now() - interval '2 years'`.execute(db)

  assert.equal(await sweepUnconfirmed(db), 100)

  const kept = await db.selectFrom('people').select('id').where('email_confirmed_at', 'is', null).execute()
  const ids = kept.map(({ id }) => id)
  for (const { id } of [endorser, pinner, drafter, follower]) assert.ok(ids.includes(id))
})
