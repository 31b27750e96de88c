import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../testing/properties.ts'
import { rememberTerms, termsOf } from './words/terms.ts'

test('terms that are remembered by word are those of the whole text', () => {
  const soup = fc.string({
    unit: fc.constantFrom(...'ab AB1 \n\t<>(){}@#/.,_-+"`가나을는 번역漢字カナé😀'),
    maxLength: 120,
  })
  const rememberedTermsOf = rememberTerms(50)
  holds(fc.property(soup, (text) => assert.deepEqual(rememberedTermsOf(text), termsOf(text))))
})
