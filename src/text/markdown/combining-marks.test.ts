import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boundMarks } from './bounds.ts'

test('of a run of combining marks ten are shown, also with joiners between them', () => {
  assert.equal(
    boundMarks(`a${'\u0301'.repeat(147)}b${'\u0302'.repeat(10)}c`),
    `a${'\u0301'.repeat(10)}b${'\u0302'.repeat(10)}c`,
  )
  assert.equal(boundMarks(`a${'\u0489\u200d'.repeat(50)}`).length, 11)
})

test('no mark is overlooked', () => {
  const all = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
  const marks = all.filter((one) => /^\p{M}$/u.test(one))
  assert.ok(marks.length > 2000)
  for (const mark of marks) assert.equal(boundMarks(`a${mark.repeat(12)}`), `a${mark.repeat(10)}`)
})

test('words of every script stay as they are', () => {
  for (const text of ['é café', '한국어 각', 'กำลังใช้น้ำแข็ง', 'שָׁלוֹם', 'ཧྐྵྨླྺྼྻྂ', 'क्षेत्रज्ञ', '👨‍👩‍👧‍👦 👍🏽', 'مُحَمَّدٌ'])
    assert.equal(boundMarks(text), text)
})
