import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aCourse } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { handupHere } from './testing.ts'

test('a forum that somebody uses is not simulated on, and a number that is none is explained', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const course = await aCourse(db)
  const environment = { DATABASE_URL: url }
  const refused = await handupHere(environment, 'simulate', '--weeks', '1')
  assert.equal(refused.code, 1)
  assert.match(refused.output, /^handup: This forum already has people or courses/)
  assert.deepEqual(await db.selectFrom('courses').select('id').execute(), [{ id: course.id }])
  const wrong = await handupHere(environment, 'simulate', '--staff', 'three')
  assert.equal(wrong.code, 1)
  assert.match(wrong.output, /--staff .*whole number from 1 to 20/)
})
