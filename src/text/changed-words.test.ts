import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../testing/properties.ts'
import { changedWords, countWords } from './changed-words.ts'
import { merged } from './merged.ts'

const written = (older: string, newer: string) =>
  changedWords(older, newer)
    .map(({ kind, text }) => (kind === 'same' ? text : `${kind === 'added' ? '+' : '-'}{${text}}`))
    .join('')

test('words that were added and taken away are told apart, in English and in Korean', () => {
  assert.equal(written('May I make links?', 'May I design links?'), 'May I -{make}+{design} links?')
  assert.equal(written('필드를 바꿉니다', '필드를 지웁니다').replace(/[-+]\{.*?\}/g, '…'), '필드를 ……니다')
  assert.deepEqual(countWords(changedWords('a b c', 'a x y c')), { added: 2, removed: 1 })
})

test('both texts can be read from what changed, whatever they are', () => {
  const words = fc
    .array(fc.constantFrom('a', 'b ', ' c', '\n', '**', '한글', '\t', '.', '😀'))
    .map((all) => all.join(''))
  const property = fc.property(words, words, (older, newer) => {
    const pieces = changedWords(older, newer)
    const without = (kind: string) =>
      pieces
        .filter((piece) => piece.kind !== kind)
        .map(({ text }) => text)
        .join('')
    assert.equal(without('added'), older)
    assert.equal(without('removed'), newer)
  })
  holds(property, 200)
})

test('texts that have nothing in common are two, without comparing every word with every other', () => {
  const text = (letter: string) => Array.from({ length: 5_000 }, (_, index) => `${letter}${index}`).join(' ')
  assert.deepEqual(
    changedWords(text('a'), text('b')).map(({ kind }) => kind),
    ['removed', 'added'],
  )
})

test('changes of different lines are merged, those of the same line are not', () => {
  const base = 'one\n\ntwo\n\nthree'
  assert.equal(merged('ONE\n\ntwo\n\nthree', base, 'one\n\ntwo\n\nTHREE'), 'ONE\n\ntwo\n\nTHREE')
  assert.equal(merged('one\n\nmine\n\nthree', base, 'one\n\ntheirs\n\nthree'), null)
  assert.equal(merged('a\n'.repeat(2_000), 'b\n'.repeat(2_000), 'c'), null)
})
