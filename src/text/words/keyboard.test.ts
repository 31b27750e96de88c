import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOtherLayout } from './keyboard.ts'
import { denies } from './particles.ts'

test('a word typed in the other layout is what the same keys write', () => {
  const cases = [
    ['gksrmf', '한글'],
    ['ㅓㄴㅐㅜ', 'json'],
    ['fhfqor', '롤백'],
    ['ehzj', '도커'],
    ['dhfb', '오류'],
    ['dksehla', '안됨'],
    ['ㅔㅛ소ㅐㅜ', 'python'],
    ['rkqt', '값'],
    ['json', null],
    ['값12', null],
  ] as const
  for (const [typed, expected] of cases) assert.equal(inOtherLayout(typed), expected, typed)
})

test('words that deny are told from others', () => {
  for (const word of ['안됩니다', '못', '없어요', '않습니다', 'not', "doesn't", 'no', '안'])
    assert.ok(denies(word), word)
  for (const word of ['됩니다', '안내', '동안', '불안정', 'note', 'node', '있어요'])
    assert.ok(!denies(word), word)
})
