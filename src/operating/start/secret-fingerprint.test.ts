import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../testing/database.ts'
import { noteSecret } from './secret.ts'

const [ONE, OTHER] = ['one secret of at least 32 characters', 'another one of at least 32 characters']

test('another SECRET is told for as long as the first one is in use, and once after a change', async (t) => {
  const db = await testDatabase(t)
  const aDayPasses = () =>
    sql`update secret_fingerprints set used_at = used_at - interval '1 day'`.execute(db)
  assert.equal(await noteSecret(db, [ONE]), null)
  assert.equal(await noteSecret(db, [ONE]), null)
  assert.match(
    (await noteSecret(db, [OTHER])) ?? '',
    /^SECRET is not the one .* all instances the same SECRET/,
  )
  assert.match((await noteSecret(db, [ONE])) ?? '', /^SECRET is not/)
  await aDayPasses()
  assert.equal(await noteSecret(db, [OTHER]), null)
  assert.equal(
    await noteSecret(db, ['a third one of at least 32 characters', OTHER, ONE]),
    null,
    'a rotation',
  )
  const kept = JSON.stringify(await db.selectFrom('secret_fingerprints').selectAll().execute())
  assert.doesNotMatch(kept, /secret of/)
})
