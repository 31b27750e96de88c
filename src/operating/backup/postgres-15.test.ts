import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from '../../database/connection.ts'
import { atEnd } from '../../testing/at-end.ts'
import { newDatabase } from '../../testing/database.ts'
import { findOlderServer, startOlderServer } from './older-server-testing.ts'
import { aTemporaryFolder, digestsOf, handup, schemaOf } from './testing.ts'

const bin = await findOlderServer()

test('a forum moves from the embedded PostgreSQL 18 to an older external one and back', {
  skip: bin === null ? 'no PostgreSQL 15 to 17 in /usr/lib/postgresql' : false,
}, async (t) => {
  const folder = await aTemporaryFolder(t)
  const [there, back] = [join(folder, 'there.backup'), join(folder, 'back.backup')]
  const embedded = { DATA_DIR: join(folder, 'data') }
  const older = await startOlderServer(t, bin ?? '')
  await run(embedded, 'seed')
  await run(embedded, 'backup', there)
  const restored = await run({ DATABASE_URL: older.url }, 'restore', there)
  assert.match(restored, /on PostgreSQL 18\./)
  await run({ DATABASE_URL: older.url }, 'backup', back)
  const target = await newDatabase(t)
  assert.match(await run({ DATABASE_URL: target.url }, 'restore', back), /on PostgreSQL 1[5-7]\./)

  const db = connect(older.url)
  atEnd(t, () => db.destroy())
  assert.deepEqual(await digestsOf(target.db), await digestsOf(db))
  assert.deepEqual(await schemaOf(target.db), await schemaOf(db))
  const { questions } = await digestsOf(db)
  assert.match(questions ?? '', /^15 rows/)
})

async function run(
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<string> {
  const { code, output } = await handup(environment, ...args)
  assert.equal(code, 0, output)
  return output
}
