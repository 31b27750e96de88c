import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appSetUp, codeAt, stepOf } from './totp.ts'

test('codes are those of RFC 6238, and a clock may be half a minute off', () => {
  const secret = Buffer.from('12345678901234567890')
  assert.equal(codeAt(secret, 59_000), '287082')
  assert.equal(codeAt(secret, 1_111_111_109_000), '081804')
  assert.equal(stepOf(secret, '287082', 59_000), 1)
  assert.equal(stepOf(secret, '287082', 89_000), 1)
  assert.equal(stepOf(secret, '287082', 20_000), 1)
  assert.equal(stepOf(secret, '287082', 121_000), null)
  const setUp = appSetUp(secret, 'mina@example.org', 'Handup forum.example')
  assert.equal(setUp.secret, 'GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ')
  assert.match(setUp.address, /secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ/)
})
