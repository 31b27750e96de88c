import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commonInOrder } from './words/likeness.ts'

test('letters count as far as they come in the same order, as a share of the longer text', () => {
  assert.equal(commonInOrder('abc', 'abc'), 1)
  assert.equal(commonInOrder('abcd', 'axbxcxdx'), 0.5)
  assert.equal(commonInOrder('ab', 'ba'), 0.5)
  assert.equal(commonInOrder('abc', 'xyz'), 0)
  assert.equal(commonInOrder('', ''), 0)
})
