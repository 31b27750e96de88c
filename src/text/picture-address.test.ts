import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pictureAddress, pictureMarkdown, withOwnPictures, writtenPictures } from './picture-address.ts'

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

test('a picture that is named by its whole address is named by its path, and nothing else is changed', () => {
  const forum = 'https://forum.example'
  const own = (text: string) => withOwnPictures(text, forum)
  assert.equal(own(`![](${forum}/uploads/a-1x1)`), '![](/uploads/a-1x1)')
  assert.equal(
    own(
      `See ![x](${forum}/uploads/a "t") and ![y](${forum}/uploads/b)\n[![z](${forum}/uploads/c)](${forum}/)`,
    ),
    `See ![x](/uploads/a "t") and ![y](/uploads/b)\n[![z](/uploads/c)](${forum}/)`,
  )
  for (const text of [
    `[x](${forum}/uploads/a)`,
    `![x](https://other.example/uploads/a)`,
    `![x](${forum}/questions/1)`,
    `![x](${forum}/uploads/a.png)`,
    `![x](${forum}.evil.example/uploads/a)`,
    `![x\n[y](${forum}/uploads/a)`,
  ])
    assert.equal(own(text), text)
})
