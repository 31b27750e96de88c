import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { foldBlocked, lettersOf, wordFinder } from './blocked-words.ts'

const ZWSP = '\u200B'

/** An entry, a text, and whether the entry is in it. */
const FOUND: readonly (readonly [entry: string, text: string, isFound: boolean])[] = [
  // A whole word, whatever is around it.
  ['casino', 'The best casino!', true],
  ['casino', 'The best casinos', false],
  ['casino', 'minicasino', false],
  ['casino', '(casino)', true],
  ['casino', 'my_casino_bonus', true],
  ['casino', 'casino카지노', false],
  // Of a script that is written together, anywhere.
  ['대행', '과제대행해요', true],
  ['カジノ', '無料カジノ情報', true],
  ['赌场', '最好的赌场网站', true],
  ['카톡ID', '제 카톡id는', true],
  ['대행', '대 행', false],
  // Phrases.
  ['buy now', 'Buy\n   now', true],
  ['buy  now', 'buy now', true],
  ['buy now', 'buy it now', false],
  ['buy now', 'buy nowhere', false],
  ['buy now', 'buy, now', false],
  ['과제 대행', '수학과제를 대행합니다', true],
  ['과제 대행', '대행 과제', false],
  ['a a b', 'a a a b', true],
  ['e-mail me', 'e-mail me', true],
  ['e-mail me', 'e mail me', false],
  ['casino!', 'casino', true],
  // Stars stand for letters and digits of one word, also none.
  ['casin*', 'casinos', true],
  ['casin*', 'casin', true],
  ['*sino', 'casino', true],
  ['c*s*o', 'casino', true],
  ['c*s*o', 'caso', true],
  ['c*s*o', 'cs o', false],
  ['ab*ba', 'aba', false],
  ['a*bc*bc', 'abc', false],
  ['a*bc*bc', 'axbcbc', true],
  ['buy * now', 'buy it now', true],
  ['buy * now', 'buy now', false],
  ['buy*now', 'buy now', false],
  ['buy ch*p', 'buy cheap', true],
  ['*.*+', '.*+', false],
  ['과*대행', '과제대행', true],
  ['과*대행', '과제 대행', false],
  // What is typed otherwise and looks the same.
  ['casino', 'CASINO', true],
  ['casino', 'ｃａｓｉｎｏ', true],
  ['casino', '𝗰𝗮𝘀𝗶𝗻𝗼', true],
  ['casino', 'cásïnô', true],
  ['casino', 'ca\u0301sino', true],
  ['café', 'cafe', true],
  ['casino', `ca${ZWSP}si\u00ADno\u2060`, true],
  [`ca${ZWSP}sino`, 'casino', true],
  ['대행', '대행'.normalize('NFD'), true],
  ['대행', `대\u3164행`, true],
  ['대행', `대${ZWSP}행`, true],
  ['ｶｼﾞﾉ', 'カジノ', true],
]

suite('the words of a blocklist', () => {
  for (const [entry, text, isFound] of FOUND)
    test(`${JSON.stringify(entry)} is ${isFound ? 'in' : 'not in'} ${JSON.stringify(text)}`, () => {
      assert.equal(wordFinder([entry])(text), isFound)
      assert.equal(wordFinder(['other', entry, 'buy never'])(text), isFound)
    })

  test('are counted by their letters and digits, and compared without case and blanks', () => {
    assert.deepEqual(['*', '**a*', '가', ZWSP, 'c++', '18', 'a b'].map(lettersOf), [0, 1, 1, 0, 1, 2, 2])
    assert.equal(foldBlocked('  Buy \t NOW '), 'buy now')
    assert.equal(wordFinder([])('anything'), false)
  })

  test('take as many steps as the text is long, however long it and the list are', () => {
    const full = (make: (number: number) => string) => Array.from({ length: 1000 }, (_, at) => make(at))
    const repeated = ['a'.repeat(30_000), 'a '.repeat(15_000), '가나'.repeat(15_000)]
    const texts = [...repeated, full((at) => `w${at}x`).join(' ')]
    const lists = [
      full((at) => `${'a*'.repeat(30)}${at}`),
      full((at) => `${'a '.repeat(29)}b${at}`),
      full((at) => `*${at}y`),
      full((at) => `가나 다${at}`),
    ]
    for (const list of lists) {
      const find = wordFinder(list)
      for (const text of texts) assert.equal(find(text), false)
    }
  })
})
