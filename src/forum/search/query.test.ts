import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { testDatabase } from '../../testing/database.ts'
import { holds } from '../../testing/properties.ts'
import { valuesOf } from '../../testing/rows.ts'
import { isStopWord } from '../../text/words/terms.ts'
import { parseQuery } from './query.ts'

test('phrases, exclusions and filters are told from words', () => {
  const filters = 'tag:REST is:resolved answers:3.. written:2026-01..'
  const query = parseQuery(`"object mapper" -spring ${filters} jackson`)
  const { phrases, excluded, groups } = query
  assert.deepEqual(valuesOf(phrases, 'match'), ["(('object') <-> ('mapper'))"])
  assert.equal(excluded.length, 1)
  assert.deepEqual(valuesOf(groups, 'required'), [['jackson']])
  assert.deepEqual(query.filters.tags, ['rest'])
  assert.deepEqual(query.filters.is, ['resolved'])
  assert.deepEqual(query.filters.answers, { from: 3, to: null })
  assert.deepEqual(query.filters.written, { from: new Date('2026-01-01T00:00:00Z'), to: null })
})

test('the end of a range takes its whole day, month or year in', () => {
  const { written } = parseQuery('written:2026-01..2026-03').filters
  assert.deepEqual(written, { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-04-01T00:00:00Z') })
})

test('an unknown filter is a word', () => {
  const { groups } = parseQuery('colour:red written:yesterday ')
  assert.deepEqual(valuesOf(groups, 'required').flat(), ['colour:red', 'written:yesterday'])
})

test('C++ and C# are not C', () => {
  assert.deepEqual(parseQuery('C++ ').groups[0]?.lexemes, ['c++'])
})

test('only an unfinished last word is a beginning of others', () => {
  const prefixes = (typed: string) => valuesOf(parseQuery(typed).groups, 'prefix')
  assert.deepEqual(prefixes('hyper med'), [null, 'med'])
  assert.deepEqual(prefixes('hyper med '), [null, null])
})

test('whatever is typed, PostgreSQL reads what is made of it', async (t) => {
  const db = await testDatabase(t)
  const soup = fc.string({
    unit: fc.constantFrom(...`'"\\:*&|!()<->-+#@/{}. \t가나다라ａé😀is tag by aAbB1`),
    maxLength: 60,
  })
  await holds(
    fc.asyncProperty(soup, async (typed) => {
      const { groups, phrases, excluded } = parseQuery(typed)
      const texts = [...groups, ...phrases].flatMap((group) => [group.match, group.narrow]).concat(excluded)
      await sql`select ${texts}::tsquery[]`.execute(db)
    }),
    300,
  )
})

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({
    unit: fc.constantFrom(...`'"\\:*&|!()<->-+#@/{}. \t가나ａé😀is tag by aA1`, '\0', '\ud800', '\u0301'),
    maxLength: 400,
  }),
  fc
    .array(
      fc.constantFrom(
        ...['tag:', 'is:', 'answers:', 'written:', 'by:', '"', '-', '..', ' ', 'a'],
        ...['9'.repeat(30), '2026-13-99'],
      ),
    )
    .map((parts) => parts.join('')),
)

test('whatever is typed, a query is read, and is no longer than what was typed', () => {
  holds(
    fc.property(anything, (typed) => {
      const { text, groups, phrases, excluded } = parseQuery(typed)
      assert.ok(text.length <= 600 && [...text].length <= 300)
      assert.ok(groups.length <= 12)
      assert.ok(phrases.length + excluded.length <= 150)
      const made = [...groups, ...phrases].flatMap(({ match, narrow }) => [match, narrow]).concat(excluded)
      for (const part of made) assert.ok(part.length <= 20_000, String(part.length))
      for (const { required, prefix } of groups) {
        assert.ok(required.every((lexeme) => lexeme !== ''))
        assert.notEqual(prefix, '')
      }
    }),
    2000,
  )
})

test('a query that is shown again means the same', () => {
  holds(
    fc.property(anything, (typed) => {
      const query = parseQuery(`${typed} `)
      assert.deepEqual(parseQuery(`${query.text} `), query)
    }),
    2000,
  )
})

test('filters and phrases come back as they were written', () => {
  const word = fc.stringMatching(/^[a-z]{3,10}$/).filter((letters) => !isStopWord(letters))
  holds(
    fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), word, fc.nat(99), (words, tag, from) => {
      const filters = `tag:${tag} is:unresolved answers:${from}..99 lecture:${from + 1}`
      const query = parseQuery(`"${words.join(' ')}" ${filters} `)
      assert.deepEqual([query.phrases.length, query.groups.length], [1, 0])
      const { tags, is, answers, lecture } = query.filters
      assert.deepEqual([tags, is, answers.from, lecture], [[tag], ['unresolved'], from, from + 1])
    }),
  )
})

test('a query of ten thousand characters is cut', () => {
  const query = parseQuery('word '.repeat(2000))
  assert.ok(query.text.length <= 300)
  assert.ok(query.groups.length <= 12)
})
