import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../../testing/database.ts'
import { countGuesses, GUESSES } from './guesses.ts'

const MINA = { email: 'mina' }

test('all addresses of one IPv6 network count as one', async (t) => {
  const guesses = countGuesses(await testDatabase(t))
  for (let tries = 0; tries < GUESSES.max; tries += 1)
    await guesses.wait(MINA, `2001:db8:0:1::${tries.toString(16)}`)
  assert.notEqual(await guesses.wait(MINA, '2001:db8:0:1:ffff:1:2:3'), null)
  assert.notEqual(await guesses.wait(MINA, '2001:db8::1:a:b:c:d'), null)
  assert.equal(await guesses.wait(MINA, '2001:db8:0:2::1'), null)
  assert.equal(await guesses.wait(MINA, '::1'), null)
  assert.equal(await guesses.wait(MINA, '::ffff:192.0.2.1'), null)
})

test('trying again and again does not put the end off, and after it the count restarts', async (t) => {
  const db = await testDatabase(t)
  const guesses = countGuesses(db)
  const pass = (minutes: number) =>
    sql`update tries set ends_at = ends_at - ${minutes} * interval '1 minute'`.execute(db)
  for (let minute = 0; minute < 15; minute += 1) {
    await guesses.wait(MINA, '192.0.2.1')
    if (minute < 14) await pass(1)
  }
  assert.notEqual(await guesses.wait(MINA, '192.0.2.1'), null)
  await pass(1)
  assert.equal(await guesses.wait(MINA, '192.0.2.1'), null)
})

test('50 tries at once, on two processes, are 50', async (t) => {
  const db = await testDatabase(t)
  const [one, other] = [countGuesses(db), countGuesses(db)]
  const tries = Array.from({ length: 50 }, (_, index) => (index % 2 ? one : other).wait(MINA, '192.0.2.1'))
  const allowed = (await Promise.all(tries)).filter((seconds) => seconds === null)
  assert.equal(allowed.length, GUESSES.max)
})

test('nothing typed as an address counts for a person, a code, another network or another limit', async (t) => {
  const db = await testDatabase(t)
  const guesses = countGuesses(db)
  const codes = { personId: 7, what: 'code' } as const
  const passwords = { personId: 7, what: 'password' } as const
  const typed = ['person 7', 'code of 7', '7', 'code 7', 'mina 192.0.2.1', '["email","7"]', 'mina"]']
  for (const email of typed)
    for (let tries = 0; tries < GUESSES.max; tries += 1) await guesses.wait({ email }, '192.0.2.1')
  for (const guessed of [codes, passwords, MINA, { email: 'mina 192.0.2.1 192.0.2.1' }])
    assert.equal(await guesses.wait(guessed, '192.0.2.1'), null, JSON.stringify(guessed))
  assert.equal(await guesses.waitForCode(codes), null)
  for (let tries = 0; tries < GUESSES.max; tries += 1) await guesses.wait(passwords, '192.0.2.1')
  assert.notEqual(await guesses.wait(passwords, '192.0.2.1'), null)
  assert.equal(await guesses.wait(codes, '192.0.2.1'), null, 'the code is another secret')
})
