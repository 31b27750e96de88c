import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { Language } from '../database/schema.ts'
import { catalogueOf } from './catalogue.ts'

/** Other words for what docs/words.md names, and turns of phrase nobody says. */
const NOT_SAID: Readonly<Record<Language, readonly RegExp[]>> = {
  en: [
    /\b(?:somebody|nobody|everybody|anybody|whoever|whomever)\b/i,
    /\b(?:mend|mends|mended|anew|grown old|so far as|such a one|not yours to do|took away|looks? after)\b/i,
    /\be-mails?\b/i,
    /(?<!mina@|@)\bmails?\b(?! server)/i,
    /\bfigures?\b(?![}])/i,
    /\bsecond factor\b/i,
    /\b(?:hear of|hears of|asks? back|take it over|put it back|make an account)\b/i,
  ],
  ko: [
    /운영진/,
    /분류/,
    /낱말|붙임표/,
    /되묻|되물/,
    /이 사람/,
    /고르세요|고르시|골라 주/,
    /넣으세요|하시겠습니까|할까요/,
    /그림|(?<!강)사진/,
    /답글/,
    /사건|감사 로그|제공자|로그인 수단|내려받/,
    /분석/,
    // 해요체, but for "~해 주세요".
    /(?<!세)(?:나요|까요|해요|어요|아요|네요|가요|이에요|예요)(?=[.?!”’]|$)/,
    // 님 is a word of its own.
    /\}님/,
    // A particle whose form depends on how the value ends.
    /\}[”’"']?(?:은|는|이|가|을|를|과|와|으로|로)(?=[ .,:)]|$)/,
  ],
}

suite('words', () => {
  for (const language of ['en', 'ko'] as const)
    test(`one for each thing, in ${language}`, () => {
      const found = Object.entries(catalogueOf(language)).flatMap(([key, message]) =>
        NOT_SAID[language]
          .map((pattern) => pattern.exec(message)?.[0])
          .filter((word) => word !== undefined)
          .map((word) => `${key}: “${word}” in “${message}” (docs/words.md has the word to use)`),
      )
      assert.deepEqual(found, [])
    })

  test('of the glossary are those of the catalogues', () => {
    const rows = readFileSync(join(import.meta.dirname, '../../docs/words.md'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| term '))
      .map((line) => line.split('|').map((cell) => cell.trim()))
    assert.ok(rows.length > 25)
    for (const [language, column] of [
      ['en', 4],
      ['ko', 5],
    ] as const) {
      const all = Object.values(catalogueOf(language)).join('\n').toLowerCase()
      for (const row of rows)
        for (const word of (row[column] ?? '').replaceAll(/\([^)]*\)/g, '').split(','))
          assert.ok(all.includes(word.replace(/\d+강/, '강').trim().toLowerCase()), `${language}: ${word}`)
    }
  })
})
