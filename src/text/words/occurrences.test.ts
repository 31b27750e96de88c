import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../testing/properties.ts'
import { occurrencesOf, SearchableText } from './occurrences.ts'
import { termsOf } from './terms.ts'

const found = (text: string, lexemes: Iterable<string>) => [
  ...occurrencesOf(new Set(lexemes))(new SearchableText(text)),
]

function marked(text: string, ...lexemes: string[]): string {
  let result = ''
  let at = 0
  for (const { start, end } of found(text, lexemes)) {
    result += `${text.slice(at, start)}[${text.slice(start, end)}]`
    at = end
  }
  return result + text.slice(at)
}

test('of an identifier only the part that matches is found', () => {
  assert.equal(
    marked('new builder.serializationInclusion(JsonInclude.Include.NON_NULL);', 'json'),
    'new builder.serializationInclusion([Json]Include.Include.NON_NULL);',
  )
  assert.equal(marked('a (snake_case) name', 'case'), 'a (snake_[case]) name')
  assert.equal(marked('GET /books/{id}, please', 'book'), 'GET /[books]/{id}, please')
})

test('an identifier that is looked for is found whole, without the punctuation around it', () => {
  assert.equal(marked('so (C++), then', 'c++'), 'so ([C++]), then')
  assert.equal(
    marked('a ResponseEntity<Void>.', 'responseentity<void>', 'entiti'),
    'a [ResponseEntity<Void>].',
  )
})

test('a word is found in its other forms, and whatever its width', () => {
  assert.equal(marked('It Happily hopes; HOPING', 'hope', 'happili'), 'It [Happily] [hopes]; [HOPING]')
  assert.equal(marked('ＪＳＯＮ maps', 'json'), '[ＪＳＯＮ] maps')
})

test('inside a run of Korean or Japanese only the letters that match are found', () => {
  assert.equal(marked('응답본문을 읽는다', '본문'), '응답[본문]을 읽는다')
  assert.equal(marked('日本語の検索です', '検索'), '日本語の[検索]です')
})

test('whatever is written, each lexeme of a text is found in it, in order and inside it', () => {
  const text = fc.string({
    unit: fc.constantFrom(...`'"\\.*(){}<>+#@/-_ \t\u00a0가나다日本éÉＡ…aabBcCeiinstyly12😀`),
    maxLength: 60,
  })
  holds(
    fc.property(text, (written) => {
      const lexemes = new Set(termsOf(written).map((term) => term.lexeme))
      const missing = [...lexemes].filter((lexeme) => found(written, [lexeme]).length === 0)
      assert.deepEqual(missing, [])
      let at = 0
      for (const { start, end } of found(written, lexemes)) {
        assert.ok(start >= at && end > start && end <= written.length)
        at = end
      }
    }),
    1000,
  )
})
