import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Authenticator } from './authenticator-testing.ts'
import { checkAttestation } from './registration.ts'

const PARTY = { id: 'localhost', origin: 'http://localhost:3000' }
const challenge = Buffer.alloc(32, 7).toString('base64url')

test('certificates are refused before anybody looks at the addresses in them', async () => {
  const options = { challenge, user: { id: 'AAAA' } }
  const made = JSON.parse(new Authenticator().make(options, { hasCertificates: true }))
  const checked = await checkAttestation(PARTY, made, challenge)
  assert.deepEqual(checked, { ok: false, reason: 'certificates were not asked for' })
  const plain = await checkAttestation(PARTY, JSON.parse(new Authenticator().make(options)), challenge)
  assert.ok(plain.ok && plain.value.is_backup_eligible && plain.value.counter === 0)
})
