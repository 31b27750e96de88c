import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentVector } from '../search/document.ts'
import { termsOfNews } from './announcement.ts'

test('the terms of a long announcement, which a thread makes, are those that are made in place', async () => {
  for (const length of [1000, 30_000]) {
    const words = Array.from({ length }, (_, number) => `word${number}-${number * 7}x`)
    const body = words.join(' ').slice(0, length)
    const made = documentVector({ title: 'Room', tags: [], acceptedAnswer: null, others: [body] })
    assert.equal(await termsOfNews({ title: 'Room', body }), made)
  }
})
