import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { testDatabase } from '../../testing/database.ts'
import { holds } from '../../testing/properties.ts'
import { fold } from './fold.ts'

const CASES: readonly [text: string, same: string, find: string, compare: string][] = [
  ['İSTANBUL', 'istanbul', 'istanbul', 'istanbui'],
  ['ISPARTA ısparta', 'isparta isparta', 'isparta isparta', 'ispartaisparta'],
  ['AÑO', 'año', 'ano', 'ano'],
  ['Cafe\u0301', 'café', 'cafe', 'cafe'],
  ['ｊａｖａ　８', 'java 8', 'java 8', 'java'],
  ['ｶﾞ が', 'ガ が', 'ガ が', 'カか'],
  ['Łódź Ørsted', 'łódź ørsted', 'lodz orsted', 'iodzorsted'],
  ['ёж', 'ёж', 'еж', 'eж'],
  ['हिन्दी 한글', 'हिन्दी 한글', 'हिन्दी 한글', 'हनद한글'],
  ['Ѕtаff 5', 'ѕtаff 5', 'ѕtаff 5', 'staffs'],
]

test('texts fold by three strengths', () => {
  for (const [text, same, find, compare] of CASES)
    assert.deepEqual([fold(text, 'same'), fold(text, 'find'), fold(text, 'compare')], [same, find, compare])
  assert.equal(fold('Straße', 'find'), 'strasse')
})

test('folding what is folded changes nothing, and leaves NFC', () => {
  const unit = fc.oneof(
    fc.constantFrom(...'iIİıjæßﾞｶé\u0307\u0301\u0327ς'),
    fc.string({ unit: 'binary', maxLength: 1 }),
  )
  holds(
    fc.property(fc.string({ unit }), fc.constantFrom('same' as const, 'find' as const), (text, strength) => {
      const folded = fold(text.toWellFormed(), strength)
      assert.equal(fold(folded, strength), folded)
      assert.equal(folded.normalize('NFC'), folded)
    }),
  )
})

test('the database finds names as the search folds words', async (t) => {
  const db = await testDatabase(t)
  for (const [text, , find] of CASES) {
    const { rows } = await sql<{ words: string }>`select ltrim(name_words(${text})) as words`.execute(db)
    assert.equal(rows[0]?.words, find, text)
  }
})
