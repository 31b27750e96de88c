import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pictureAddress, pictureMarkdown, withOwnPictures, writtenPictures } from './picture-address.ts'

test('a picture’s words are found in a text as they were written into it', () => {
  const words = fc.stringMatching(/^[^\n]*$/u)
  fc.assert(
    fc.property(words, words, (one, other) => {
      const first = pictureMarkdown(one, '/uploads/a')
      const second = pictureMarkdown(other, pictureAddress('b-40x30'))
      const [at, next] = [6, 8 + first.length]
      assert.deepEqual(writtenPictures(`Look: ${first}\n\n${second}`), [
        { at, end: at + first.length, words: one, address: '/uploads/a' },
        { at: next, end: next + second.length, words: other, address: '/uploads/b-40x30' },
      ])
    }),
  )
  assert.deepEqual(writtenPictures('![x](https://elsewhere/uploads/a) [y](/uploads/a)'), [])
})

test('a picture that is named by its whole address is named by its path, and nothing else is changed', () => {
  const forum = 'https://forum.example'
  const own = (text: string) => withOwnPictures(text, forum)
  assert.equal(own(`![](${forum}/uploads/a-1x1)`), '![](/uploads/a-1x1)')
  const see = (at: string) =>
    `See ![x](${at}/uploads/a "t") and ![y](${at}/uploads/b)\n[![z](${at}/uploads/c)]`
  assert.equal(own(`${see(forum)}(${forum}/)`), `${see('')}(${forum}/)`)
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
