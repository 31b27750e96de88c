import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testAppThatHears } from '../../testing/app.ts'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { recordStatements } from '../../testing/statements.ts'
import { warmUp } from './warm.ts'

test('the usual pages are rendered before the first reader comes, and counted as read by nobody', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  for (let count = 0; count < 6; count += 1) await aQuestion(db, { course, answers: 1 })
  const secret = await aCourse(db, { isPublic: false })
  await aQuestion(db, { course: secret })
  const { app } = await testAppThatHears(t, db)
  assert.deepEqual(await warmUp(app, { isProduction: false }), [])
  const statuses = await warmUp(app, { isProduction: true }, 1)
  assert.ok(statuses.length >= 25, `${statuses.length} pages`)
  assert.deepEqual([...new Set(statuses)], [200])
  const { views } = await db
    .selectFrom('questions')
    .select((eb) => eb.fn.max('views_count').as('views'))
    .executeTakeFirstOrThrow()
  assert.equal(views, 0)
})

test('each round asks the database again, as members and as visitors, so that its connections plan what they will need', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  for (let count = 0; count < 5; count += 1) await aQuestion(db, { course, answers: 1 })
  const { app } = await testAppThatHears(t, db)
  const statements = recordStatements(t)
  const rounds = 4
  await warmUp(app, { isProduction: true }, rounds)
  const times = (pattern: RegExp) => statements.filter((statement) => pattern.test(statement)).length
  assert.ok(times(/from "sessions"/) >= 5 * rounds)
  assert.ok(times(/from notifications as notice/) >= 5 * rounds)
  // The tree of a question: five of them, for two kinds of readers.
  assert.ok(times(/"q"."accepted_answer_id"/) >= 2 * 5 * rounds)
})

test('an empty forum starts without', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
  assert.deepEqual(await warmUp(app, { isProduction: true }), [])
})
