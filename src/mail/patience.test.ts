import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAUSE, Patience } from './send-mail.ts'

const REFUSED = Object.assign(new Error('refused'), { code: 'ECONNECTION' })
const LATER = Object.assign(new Error('451 later'), {
  ...{ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 451 },
})
const NO_SUCH_USER = Object.assign(new Error('550 5.1.1 no such user'), {
  ...{ code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 },
})
/** Of a pause that never ends, and of one that has ended. */
const [LONG_MS, OVER_MS] = [600_000, -1]

test('a mail server that takes nothing is left alone, with one mail after each longer pause', () => {
  const times: number[] = []
  const patience = new Patience(10, (time) => {
    times.push(time)
    return OVER_MS
  })
  for (let failures = 0; failures < 4; failures += 1) assert.equal(patience.failed(LATER), null)
  assert.equal(patience.capacity(), 10)
  patience.failed(LATER)
  assert.equal(patience.capacity(), 1)
  patience.failed(LATER)
  patience.failed(LATER)
  assert.deepEqual(times, [1, 2, 3])
  patience.worked()
  assert.equal(patience.capacity(), 10)
})

test('while it is left alone nothing is sent, and what was under way makes the pause no longer', () => {
  const patience = new Patience(10, () => LONG_MS)
  const begun = Array.from({ length: 12 }, () => patience.failed(LATER)).filter((one) => one !== null)
  assert.deepEqual([begun, patience.capacity()], [[600], 0])
})

test('a server that refuses a mail for good works', () => {
  const patience = new Patience(10, () => LONG_MS)
  for (let failures = 0; failures < 20; failures += 1) patience.failed(NO_SUCH_USER)
  assert.equal(patience.capacity(), 10)
})

test('a server that refuses connections gets fewer of them, and more again as it takes mail', () => {
  const patience = new Patience(10, () => LONG_MS)
  patience.failed(REFUSED)
  patience.worked()
  assert.equal(patience.capacity(), 5)
  for (let mails = 0; mails < 400; mails += 1) patience.worked()
  assert.equal(patience.capacity(), 10)
})

test('pauses grow from seconds to ten minutes', () => {
  const seconds = [1, 2, 3, 8, 50].map((times) => PAUSE(times) / 1000)
  for (const [index, about] of [5, 10, 20, 600, 600].entries())
    assert.ok(Math.abs((seconds[index] ?? 0) - about) <= 0.21 * about, `${seconds[index]} for ${about}`)
})
