import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isHalfWay, minutesWithout, provingWay } from './ways.ts'

test('what was shown at once counts as the way that replaces the password for longest', () => {
  assert.equal(provingWay(['password']), null)
  assert.equal(provingWay(['password', 'code']), null)
  assert.equal(provingWay(['password', 'passkey']), 'passkey')
  assert.equal(provingWay(['link', 'passkey']), 'link')
  assert.equal(provingWay(['provider', 'passkey']), 'passkey')
  assert.equal(provingWay(['provider', 'code']), 'provider')
})

test('an older sign-in at a provider replaces no password that there is to ask for', () => {
  assert.deepEqual([minutesWithout('provider', true), minutesWithout('provider', false)], [0, 15])
  assert.deepEqual([minutesWithout('fresh-provider', true), minutesWithout('link', true)], [15, 60])
})

test('a passkey is two factors, a provider is one', () => {
  assert.deepEqual((['password', 'link', 'provider', 'passkey'] as const).map(isHalfWay), [
    true,
    true,
    true,
    false,
  ])
})
