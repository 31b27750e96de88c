import assert from 'node:assert/strict'
import { test } from 'node:test'
import { remembered } from './remembered.ts'

test('a text is read once, a long one too, and each has its own result', () => {
  const texts: string[] = []
  const lengthOf = remembered((text) => {
    texts.push(text)
    return text.length
  })
  const long = ['a', 'b'].map((letter) => `${'x'.repeat(300)}${letter}`)
  for (const text of ['short', ...long, 'short', ...long]) assert.equal(lengthOf(text), text.length)
  assert.deepEqual(texts, ['short', ...long])
})
