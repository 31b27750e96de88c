import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../testing/properties.ts'
import { changedWords, changesWithin, countWords, MAX_COMPARISONS, type Piece } from './changed-words.ts'
import { MAX_STEPS, merged, mergeSteps } from './merged.ts'

const written = (older: string, newer: string) =>
  changedWords(older, newer)
    .map(({ kind, text }) => (kind === 'same' ? text : `${kind === 'added' ? '+' : '-'}{${text}}`))
    .join('')

test('words that were added and taken away are told apart, in English and in Korean', () => {
  assert.equal(written('May I make links?', 'May I design links?'), 'May I -{make}+{design} links?')
  assert.equal(written('필드를 바꿉니다', '필드를 지웁니다').replace(/[-+]\{.*?\}/g, '…'), '필드를 ……니다')
  assert.deepEqual(countWords(changedWords('a b c', 'a x y c')), { added: 2, removed: 1 })
})

const without = (kind: Piece['kind'], pieces: readonly Piece[]) =>
  pieces.map((piece) => (piece.kind === kind ? '' : piece.text)).join('')

test('both texts can be read from what changed, whatever they are, and however little may be compared', () => {
  const words = fc
    .array(fc.constantFrom('a', 'b ', ' c', '\n', '**', '한글', '\t', '.', '😀'))
    .map((all) => all.join(''))
  const property = fc.property(words, words, fc.nat(60), (older, newer, left) => {
    for (const pieces of [changedWords(older, newer), changesWithin(older, newer, { left })]) {
      assert.equal(without('added', pieces), older)
      assert.equal(without('removed', pieces), newer)
      assert.ok(pieces.every(({ kind, text }, index) => text !== '' && kind !== pieces[index - 1]?.kind))
    }
  })
  holds(property, 200)
})

/** A text of the longest length, of parts in an order that looks like none. */
function longText(parts: readonly string[], seed: number): string {
  let [text, state] = ['', seed]
  while (text.length < 30_000) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    text += parts[(state >>> 16) % parts.length]
  }
  return text
}

/** Parts of texts that are laborious to compare: each makes two long texts that differ everywhere. */
const LABORIOUS: readonly (readonly string[])[] = [
  ['a ', 'a  '],
  ['a\n', 'b\n'],
  ['\n', '\n', 'a\n'],
  ['.', ',', ';'],
  ['가', '나', '다'],
  Array.from({ length: 50 }, (_, index) => `word${index} `),
  Array.from({ length: 500 }, (_, index) => `${index}\n`),
  ['one ', 'two ', 'three\n'],
]

test('comparing two versions takes bounded work, and none a second time', () => {
  for (const parts of LABORIOUS) {
    const [older, newer] = [longText(parts, 1), longText(parts, 99)]
    const budget = { left: MAX_COMPARISONS }
    const pieces = changesWithin(older, newer, budget)
    assert.ok(budget.left >= 0 && budget.left < MAX_COMPARISONS, `${budget.left} left of ${parts[0]}`)
    assert.ok(pieces.length < 5_000, `${pieces.length} pieces`)
    assert.equal(without('added', pieces), older)
    assert.equal(without('removed', pieces), newer)
    assert.equal(changedWords(older, newer), changedWords(`${older}`, `${newer}`))
  }
})

test('in a long text the words of changed lines are told, those of lines without an end are not', () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => `Line ${index} says this.`)
  const changed = lines.map((line, index) => (index % 50 === 7 ? line.replace('this', 'that') : line))
  const pieces = changedWords(lines.join('\n'), changed.join('\n'))
  assert.deepEqual(countWords(pieces), { added: 20, removed: 20 })
})

test('merging takes bounded work: texts of the same lines again and again are not merged', () => {
  const text = (parts: readonly string[], seed: number) => longText(parts, seed).split('\n')
  for (const parts of LABORIOUS) {
    const [mine, base, theirs] = [text(parts, 1), text(parts, 2), text(parts, 3)]
    const steps = mergeSteps(base, mine) + mergeSteps(base, theirs)
    if (steps > MAX_STEPS) assert.equal(merged(mine.join('\n'), base.join('\n'), theirs.join('\n')), null)
  }
  assert.ok(mergeSteps(text(['a\n', 'b\n'], 1), text(['a\n', 'b\n'], 2)) > MAX_STEPS)
})

test('what two people changed in a long text is merged, however many of its lines are equal', () => {
  const base = Array.from({ length: 10_000 }, (_, index) => (index < 20 ? `line ${index}` : ''))
  const [mine, theirs] = [base.with(3, 'mine'), base.with(9_000, 'theirs')]
  const both = merged(mine.join('\n'), base.join('\n'), theirs.join('\n'))
  assert.equal(both, null, 'far apart, 9,000 empty lines are compared')
  const near = base.with(12, 'theirs')
  assert.equal(
    merged(mine.join('\n'), base.join('\n'), near.join('\n')),
    base.with(3, 'mine').with(12, 'theirs').join('\n'),
  )
})

test('texts that have nothing in common are two, without comparing every word with every other', () => {
  const text = (letter: string) => Array.from({ length: 5_000 }, (_, index) => `${letter}${index}`).join(' ')
  const kinds = changedWords(text('a'), text('b')).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['removed', 'added'])
})

test('changes of different lines are merged, those of the same line are not', () => {
  const base = 'one\n\ntwo\n\nthree'
  assert.equal(merged('ONE\n\ntwo\n\nthree', base, 'one\n\ntwo\n\nTHREE'), 'ONE\n\ntwo\n\nTHREE')
  assert.equal(merged('one\n\nmine\n\nthree', base, 'one\n\ntheirs\n\nthree'), null)
  assert.equal(merged('a\n'.repeat(2_000), 'b\n'.repeat(2_000), 'c'), null)
  assert.equal(merged('one\n\nmine', 'one\n\ntwo', 'one\n\ntwo'), 'one\n\nmine')
})
