import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { complaints, explained } from '../../testing/plans.ts'
import { loadForum } from '../../tools/generate/load.ts'
import { mondaysOf, weeksBetween } from './periods.ts'
import { askedQuestions, askedWords, beginningsOf, countLearners, lecturesOf, staffOf } from './queries.ts'

test('a month of a long course is read along indexes', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  await loadForum(url, { questions: 3000, seed: 3, course: 'long' }, { begin() {}, advance() {} })
  await sql`analyze`.execute(db)
  const course = await db.selectFrom('courses').select('id').executeTakeFirstOrThrow()
  const subject = { ...course, timeZone: 'Asia/Seoul' }
  const month = mondaysOf(weeksBetween('2024-03-04', '2024-03-31'))
  const plans = await explained(url, async (recorded) => {
    const staff = await staffOf(recorded, subject.id)
    await askedQuestions(recorded, subject, staff, month)
    await askedWords(recorded, subject, month)
    await lecturesOf(recorded, subject.id)
    await countLearners(recorded, subject.id)
    await beginningsOf(recorded, subject)
  })
  // Of 3,000 questions and 7,500 answers.
  const tooMuch = plans.flatMap((plan) => complaints(plan, 1000))
  assert.deepEqual(tooMuch, [])
})
