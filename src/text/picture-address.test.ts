import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pictureAddress, pictureMarkdown, writtenPictures } from './picture-address.ts'

test('a picture’s words are found in a text as they were written into it', () => {
  const words = fc.stringMatching(/^[^\n]*$/u)
  fc.assert(
    fc.property(words, words, (one, other) => {
      const [first, second] = [
        pictureMarkdown(one, '/uploads/a'),
        pictureMarkdown(other, pictureAddress('b-40x30')),
      ]
      assert.deepEqual(writtenPictures(`Look: ${first}\n\n${second}`), [
        { at: 6, end: 6 + first.length, words: one, address: '/uploads/a' },
        {
          at: 8 + first.length,
          end: 8 + first.length + second.length,
          words: other,
          address: '/uploads/b-40x30',
        },
      ])
    }),
  )
  assert.deepEqual(writtenPictures('![x](https://elsewhere/uploads/a) [y](/uploads/a)'), [])
})
