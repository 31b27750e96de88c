import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { testDatabase } from '../testing/database.ts'
import { parseQuery } from './query.ts'

test('phrases, exclusions and filters are told from words', () => {
  const query = parseQuery(
    '"object mapper" -spring tag:REST is:resolved answers:3.. written:2026-01.. jackson',
  )
  assert.deepEqual(
    query.phrases.map((phrase) => phrase.match),
    ["(('object') <-> ('mapper'))"],
  )
  assert.equal(query.excluded.length, 1)
  assert.deepEqual(
    query.groups.map((group) => group.required),
    [['jackson']],
  )
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
  const query = parseQuery('colour:red written:yesterday ')
  assert.deepEqual(
    query.groups.flatMap((group) => group.required),
    ['colour:red', 'written:yesterday'],
  )
})

test('C++ and C# are not C', () => {
  assert.deepEqual(parseQuery('C++ ').groups[0]?.lexemes, ['c++'])
})

test('only an unfinished last word is a beginning of others', () => {
  assert.deepEqual(
    parseQuery('hyper med').groups.map((group) => group.prefix),
    [null, 'med'],
  )
  assert.deepEqual(
    parseQuery('hyper med ').groups.map((group) => group.prefix),
    [null, null],
  )
})

test('whatever is typed, PostgreSQL reads what is made of it', async (t) => {
  const db = await testDatabase(t)
  const soup = fc.string({
    unit: fc.constantFrom(...`'"\\:*&|!()<->-+#@/{}. \t가나다라ａé😀is tag by aAbB1`),
    maxLength: 60,
  })
  await fc.assert(
    fc.asyncProperty(soup, async (typed) => {
      const { groups, phrases, excluded } = parseQuery(typed)
      const texts = [...groups, ...phrases].flatMap((group) => [group.match, group.narrow]).concat(excluded)
      await sql`select ${texts}::tsquery[]`.execute(db)
    }),
    { numRuns: 300 },
  )
})

test('a query of ten thousand characters is cut', () => {
  const query = parseQuery('word '.repeat(2000))
  assert.ok(query.text.length <= 300)
  assert.ok(query.groups.length <= 12)
})
