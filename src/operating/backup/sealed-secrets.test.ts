import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Secret } from 'otpauth'
import { keepClientSecret } from '../../accounts/providers/commands.ts'
import { addProviderRow } from '../../accounts/providers/row-testing.ts'
import { openSecret, renewSecrets } from '../../accounts/second-factor/sealed-secret.ts'
import { beginSecondFactor } from '../../accounts/second-factor/second-factor.ts'
import { connect } from '../../database/connection.ts'
import { addWebhookRow, RECEIVER } from '../../forum/webhooks/row-testing.ts'
import { WEBHOOK_SECRET } from '../../forum/webhooks/testing.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { atEnd } from '../../testing/at-end.ts'
import { aPerson } from '../../testing/builders.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { readArchive } from './archive-reader.ts'
import { aBackup, aTemporaryFolder, handup } from './testing.ts'

const KEYS: SecretKeys = ['a secret of the forum with 32 characters']

/** Everything in a backup, unpacked. */
async function contentOf(path: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  await readArchive(path, async ({ content }) => {
    for await (const bytes of content) parts.push(bytes)
  })
  return Buffer.concat(parts)
}

test('a stolen backup has no secret of an authenticator app, a client or a webhook, and a restore says whose a new SECRET can’t read', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const dataDir = await aTemporaryFolder(t)
  const people = [await aPerson(db), await aPerson(db)]
  for (const { id } of people) await beginSecondFactor(db, KEYS, id)
  await addWebhookRow(db, { ownerId: people[0]?.id ?? 0, keys: KEYS })
  const clientSecret = 'the secret that a provider gave'
  const providerId = await addProviderRow(db)
  const setClientSecret = (client_secret: Buffer) =>
    db.updateTable('identity_providers').set({ client_secret }).where('id', '=', providerId).execute()
  const rows = await db.selectFrom('second_factors').select(['person_id', 'secret']).execute()
  const secrets = rows.map(({ person_id, secret }) => openSecret(KEYS, person_id, secret) ?? Buffer.of())
  const texts = [clientSecret, RECEIVER, WEBHOOK_SECRET].map((text) => Buffer.from(text))
  const forms = [...secrets, ...texts].flatMap((secret) => [
    secret,
    Buffer.from(secret.toString('hex')),
    Buffer.from(secret.toString('base64').slice(0, 20)),
    Buffer.from(new Secret({ buffer: new Uint8Array(secret).buffer }).base32),
  ])
  const found = async (path: string) => {
    const content = await contentOf(path)
    return forms.filter((form) => content.includes(form)).length
  }

  const [first] = rows
  const stored = { secret: secrets[0] ?? Buffer.of() }
  await setRows(db, 'second_factors', { person_id: first?.person_id ?? 0 }, stored)
  await setClientSecret(Buffer.from(clientSecret))
  const before = await aBackup({ db, url, dataDir }, join(dataDir, 'plain.backup'))
  assert.equal(await found(before), 2, 'the search finds what is stored as it is')
  await within(db, keepClientSecret, KEYS, providerId, clientSecret)
  assert.equal(await renewSecrets(db, KEYS), 1)
  const path = await aBackup({ db, url, dataDir }, join(dataDir, 'sealed.backup'))
  assert.equal(await found(path), 0)

  const target = await newDatabase(t)
  const environment = { DATABASE_URL: target.url, DATA_DIR: await aTemporaryFolder(t) }
  const restored = await handup({ ...environment, SECRET: 'x'.repeat(32) }, 'restore', path)
  assert.equal(restored.code, 0, restored.output)
  for (const { email } of people) assert.ok(restored.output.includes(email), restored.output)
  assert.match(restored.output, /SECRET can’t decrypt .*handup user second-factor-off ACCOUNT/)
  assert.match(restored.output, /SECRET can’t decrypt the addresses of 1 webhooks \(receiver\.example/)
  const there = connect(target.url)
  atEnd(t, () => there.destroy())
  const { stopped } = await rowOf(there, 'webhooks', {})
  assert.equal(stopped, 'restored', 'the forum that the backup is of goes on telling it')
  assert.deepEqual(await rowsOf(there, 'webhook_deliveries', {}), [])
  const both = `${'x'.repeat(32)},${KEYS[0]}`
  const rotated = await handup({ ...environment, SECRET: both }, 'secret', 'rotate')
  assert.match(rotated.output, /encrypted 4 secrets with the first secret of SECRET/)
  const again = await handup({ ...environment, SECRET: 'y'.repeat(32) }, 'secret', 'rotate')
  assert.equal(again.code, 1, again.output)
  assert.match(again.output, /^encrypted 0 secrets.*\nhandup: SECRET can’t decrypt/)
})
