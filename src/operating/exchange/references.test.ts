import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportedText } from './references.ts'

const NAMELESS = { idOf: () => null, nameOf: () => null, isPseudonymous: true, isCopy: false }

test('a pseudonymous text has no address of the forum, wherever it is written', () => {
  for (const text of [
    '[x](/people/12/mina)',
    '[x]( /people/12/mina)',
    '[x](\n</uploads/kept-1x1>)',
    '[x][y]\n\n[y]:\n/people/12/mina',
    '[x][y]\n\n[y]:      https://forum.example/questions/12',
  ])
    assert.doesNotMatch(exportedText(text, 'https://forum.example', NAMELESS), /12|mina|kept/, text)
})
