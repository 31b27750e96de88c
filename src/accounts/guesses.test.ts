import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countGuesses, GUESSES } from './guesses.ts'

test('ten tries are free, then the wait is told in seconds', () => {
  const guesses = countGuesses()
  for (let tries = 0; tries < GUESSES.max; tries += 1) assert.equal(guesses.wait('mina', '192.0.2.1'), null)
  const seconds = guesses.wait('mina', '192.0.2.1')
  assert.ok(seconds !== null && seconds > 0 && seconds <= 900, `${seconds}`)
})

test('other accounts and other addresses are not concerned', () => {
  const guesses = countGuesses()
  for (let tries = 0; tries < 50; tries += 1) guesses.wait('mina', '192.0.2.1')
  assert.equal(guesses.wait('mina', '192.0.2.2'), null)
  assert.equal(guesses.wait('joon', '192.0.2.1'), null)
})

test('all addresses of one IPv6 network count as one', () => {
  const guesses = countGuesses()
  for (let tries = 0; tries < GUESSES.max; tries += 1)
    guesses.wait('mina', `2001:db8:0:1::${tries.toString(16)}`)
  assert.notEqual(guesses.wait('mina', '2001:db8:0:1:ffff:1:2:3'), null)
  assert.notEqual(guesses.wait('mina', '2001:db8::1:a:b:c:d'), null)
  assert.equal(guesses.wait('mina', '2001:db8:0:2::1'), null)
  assert.equal(guesses.wait('mina', '::1'), null)
  assert.equal(guesses.wait('mina', '::ffff:192.0.2.1'), null)
})

test('a right password begins the count anew', () => {
  const guesses = countGuesses()
  for (let tries = 0; tries < GUESSES.max; tries += 1) guesses.wait('mina', '192.0.2.1')
  guesses.forget('mina', '192.0.2.1')
  assert.equal(guesses.wait('mina', '192.0.2.1'), null)
})

test('trying again and again does not put the end off', (t) => {
  const now = t.mock.method(performance, 'now', () => 1)
  const guesses = countGuesses()
  for (let minute = 0; minute < 15; minute += 1) {
    now.mock.mockImplementation(() => 1 + minute * 60_000)
    guesses.wait('mina', '192.0.2.1')
  }
  assert.notEqual(guesses.wait('mina', '192.0.2.1'), null)
  now.mock.mockImplementation(() => 2 + GUESSES.window)
  assert.equal(guesses.wait('mina', '192.0.2.1'), null)
})
