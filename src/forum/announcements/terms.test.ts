import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measured } from '../../testing/processor-time.ts'
import { documentVector } from '../search/document.ts'
import { termsOfNews } from './terms.ts'

test('the terms of a long announcement are made in a thread, and are those of a short one', async () => {
  const bodyOf = (length: number) =>
    Array.from({ length }, (_, number) => `word${number}-${number * 7}x`)
      .join(' ')
      .slice(0, length)
  const vectorOf = (body: string) =>
    documentVector({ title: 'Room', tags: [], acceptedAnswer: null, others: [body] })
  const [short, long] = [bodyOf(1000), bodyOf(30_000)]
  assert.equal(await termsOfNews({ title: 'Room', body: short }), vectorOf(short))
  const { microseconds: here, result } = measured(() => vectorOf(long))
  const before = process.threadCpuUsage()
  const made = await termsOfNews({ title: 'Room', body: long })
  const { user, system } = process.threadCpuUsage(before)
  assert.equal(made, result)
  assert.ok(user + system < here, `${user + system} of ${here} µs`)
})
