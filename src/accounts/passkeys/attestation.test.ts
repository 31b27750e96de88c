import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Authenticator, type Mischief } from './authenticator-testing.ts'
import { checkAttestation } from './registration.ts'
import { PARTY } from './testing.ts'

test('a passkey is refused when it isn’t what was asked for, and its certificates before anybody looks into them', async () => {
  const challenge = Buffer.alloc(32, 7).toString('base64url')
  const check = (mischief: Mischief = {}) => {
    const made = new Authenticator().make({ challenge, user: { id: 'AAAA' } }, mischief)
    return checkAttestation(PARTY, JSON.parse(made), challenge)
  }
  const bad: Readonly<Record<string, Mischief>> = {
    'another site': { origin: 'http://localhost:3001' },
    'another host': { rpId: 'example.org' },
    'another challenge': { challenge: Buffer.alloc(32).toString('base64url') },
    'a signature': { type: 'webauthn.get' },
    'nobody there': { isPresent: false },
    'nobody verified': { isVerified: false },
  }
  for (const [what, mischief] of Object.entries(bad)) assert.equal((await check(mischief)).ok, false, what)
  const certified = await check({ hasCertificates: true })
  assert.deepEqual(certified, { ok: false, reason: 'certificates were not asked for' })
  const plain = await check()
  assert.ok(plain.ok && plain.value.is_backup_eligible && plain.value.counter === 0)
  assert.deepEqual(plain.value.transports, ['hybrid', 'internal'])
})
