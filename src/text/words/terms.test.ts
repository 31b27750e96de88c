import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../testing/properties.ts'
import { withoutSuffix } from './particles.ts'
import { rememberTerms, termsOf } from './terms.ts'

const lexemes = (text: string) => termsOf(text).map((term) => term.lexeme)

test('words are found by their stem, the commonest not at all', () => {
  assert.deepEqual(lexemes('The controllers are returning'), ['control', 'return'])
})

test('identifiers and symbols stay whole, beside their parts', () => {
  for (const [text, whole] of [
    ['ResponseEntity<Void>', 'responseentity<void>'],
    ['(@JsonIgnore)', '@jsonignore'],
    ['application/hal+json,', 'application/hal+json'],
    ['"C++".', 'c++'],
    ['(C#)', 'c#'],
    ['/books/{id}', '/books/{id}'],
  ] as const) {
    assert.ok(lexemes(text).includes(whole), `${text}: ${lexemes(text)}`)
  }
  assert.ok(lexemes('NullPointerException').includes('pointer'))
})

test('Korean, Japanese and Chinese are pairs of letters and the last letter', () => {
  assert.deepEqual(lexemes('번역을'), ['번역', '역을', '을'])
  assert.deepEqual(lexemes('データ'), ['デー', 'ータ', 'タ'])
})

test('a border of scripts divides', () => {
  assert.deepEqual(lexemes('JSON으로'), ['json', '으로', '로'])
  assert.ok(lexemes('@JsonIgnore도').includes('@jsonignore'))
})

test('full-width letters are the plain ones', () => {
  assert.deepEqual(lexemes('ＪＳＯＮ'), ['json'])
})

test('a particle is taken off a noun of two syllables and more', () => {
  assert.equal(withoutSuffix('번역을'), '번역')
  assert.equal(withoutSuffix('컨트롤러에서'), '컨트롤러')
  assert.equal(withoutSuffix('수업'), '수업')
})

test('no term is longer than 60, and long nonsense takes no time worth naming', () => {
  for (const text of ['a-'.repeat(15_000), '<({['.repeat(7500), '가'.repeat(30_000), 'x'.repeat(30_000)]) {
    const terms = termsOf(text)
    assert.ok(terms.every((term) => term.lexeme.length <= 60))
  }
})

test('terms that are remembered by word are those of the whole text', () => {
  const soup = fc.string({
    unit: fc.constantFrom(...'ab AB1 \n\t<>(){}@#/.,_-+"`가나을는 번역漢字カナé😀'),
    maxLength: 120,
  })
  const rememberedTermsOf = rememberTerms(50)
  holds(fc.property(soup, (text) => assert.deepEqual(rememberedTermsOf(text), termsOf(text))))
})
