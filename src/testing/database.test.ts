import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'

test('a test has a database of its own, migrated and empty', async (t) => {
  const [one, other] = await Promise.all([testDatabase(t), testDatabase(t)])
  await one.insertInto('people').values({ display_name: 'Mina' }).execute()

  assert.deepEqual(await one.selectFrom('people').select('display_name').execute(), [
    { display_name: 'Mina' },
  ])
  assert.deepEqual(await other.selectFrom('people').select('display_name').execute(), [])
})
