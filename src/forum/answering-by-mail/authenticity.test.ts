import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authenticityOf, type Resolver } from './listen.ts'

const DELIVERY = { ip: '192.0.2.1', helo: 'mx.example.com', sender: 'a@example.com' }
const noDns: Resolver = async () => {
  throw Object.assign(new Error('timeout'), { code: 'ETIMEOUT' })
}
const judged = (headers: string) =>
  authenticityOf(
    Buffer.from(`${headers}From: a@example.com\r\n\r\nThank you.`),
    'a@example.com',
    DELIVERY,
    noDns,
  )

test('headers that no mail program writes are not read: it would take seconds', async () => {
  assert.equal(await judged('X-Note: one\r\n two\r\n'.repeat(20)), 'unknown', 'as without an answer of DNS')
  for (const headers of [`DKIM-Signature: v=1; b=${' '.repeat(500)}x\r\n`, 'X-Note: one\r\n'.repeat(1100)])
    assert.equal(await judged(headers), 'forged')
})
