import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../testing/properties.ts'
import { distanceOf, editsOf } from './spelling.ts'

test('each slip of a finger is one step', () => {
  const slips = { jason: 'json', josn: 'json', respnse: 'response', responce: 'response', jsom: 'json' }
  for (const [typed, meant] of Object.entries(slips)) {
    assert.equal(distanceOf(typed, meant), 1, typed)
    assert.ok(editsOf(typed).includes(meant), typed)
  }
  assert.equal(distanceOf('jason', 'jackson'), 2)
  assert.equal(distanceOf('', 'ab'), 2)
  assert.equal(distanceOf('번역기', '번기역'), 1)
})

test('what one edit makes is one step away, both ways', () => {
  holds(
    fc.property(fc.stringMatching(/^[a-z가나]{1,8}$/), fc.nat(), (word, at) => {
      const edits = editsOf(word)
      const edit = edits[at % edits.length] ?? word
      assert.ok(distanceOf(word, edit) <= 1, edit)
      assert.equal(distanceOf(word, edit), distanceOf(edit, word))
      assert.equal(distanceOf(word, word), 0)
    }),
  )
})
