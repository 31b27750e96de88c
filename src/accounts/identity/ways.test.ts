import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isHalfWay, minutesWithout, type Proving, provingWay } from './ways.ts'

test('what was shown at once counts as the way that replaces the password for longest', () => {
  assert.equal(provingWay(['code']), null)
  assert.equal(provingWay(['password', 'code']), 'password')
  assert.deepEqual([provingWay(['sign-up']), provingWay(['set-up'])], ['password', 'password'])
  assert.equal(provingWay(['password', 'passkey']), 'passkey')
  assert.equal(provingWay(['link', 'passkey']), 'link')
  assert.equal(provingWay(['provider', 'passkey']), 'passkey')
  assert.equal(provingWay(['provider', 'code']), 'provider')
})

test('an older sign-in at a provider replaces no password that there is to ask for', () => {
  for (const asked of ['way-in', 'key'] as const) {
    const minutes = (way: Proving, hasPassword = true) => minutesWithout(way, hasPassword, asked)
    assert.deepEqual([minutes('provider'), minutes('provider', false)], [0, 15])
    assert.deepEqual([minutes('fresh-provider'), minutes('link'), minutes('passkey')], [15, 60, 15])
  }
})

test('a password that was typed does for a key a quarter of an hour, and is typed again for a way in', () => {
  for (const [asked, minutes] of [
    ['key', 15],
    ['way-in', 0],
  ] as const)
    for (const hasPassword of [true, false])
      assert.equal(minutesWithout('password', hasPassword, asked), minutes, asked)
})

test('a passkey is two factors, a provider is one', () => {
  for (const way of ['password', 'link', 'provider', 'passkey'] as const)
    assert.equal(isHalfWay(way), way !== 'passkey', way)
})
