import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayOf, momentOf } from '../text/moment.ts'
import { translatorOf } from './catalogue.ts'
import { agedMoment, spokenMoment, writtenDate, writtenMoment } from './spoken-moment.ts'

const [en, ko] = [translatorOf('en'), translatorOf('ko')]
const AT = new Date('2026-11-18T08:45:00Z')

test('a time is read in words, with the city of its zone', () => {
  const shown = momentOf(AT, 'Asia/Seoul')
  assert.equal(shown.text, '2026.11.18 17:45')
  assert.equal(spokenMoment(shown, en), '18 November 2026, 17:45, Seoul time')
  assert.equal(spokenMoment(shown, ko), '2026년 11월 18일 17:45, 서울 시간')
  assert.equal(spokenMoment(dayOf(AT, 'UTC'), en), '18 November 2026, 08:45, UTC', 'of a day the time, too')
})

test('all but posts write a time in the words of its language', () => {
  assert.equal(writtenMoment(AT, 'Asia/Seoul', en).text, '18 Nov 2026, 17:45')
  assert.equal(writtenMoment(AT, 'Asia/Seoul', en).title, '18 Nov 2026, 17:45 Asia/Seoul')
  assert.equal(writtenMoment(AT, 'Asia/Seoul', ko).text, '2026.11.18 17:45')
  assert.equal(writtenDate(AT, 'UTC', en).text, '18 Nov 2026')
  assert.equal(writtenDate(AT, 'UTC', ko).text, '2026.11.18')
})

test('in a list, a week is over at a day, and a year at one with its year', () => {
  const listed = (now: string, t = en) => agedMoment(AT, 'Asia/Seoul', t, new Date(now)).text
  assert.equal(listed('2026-11-23T09:00:00Z'), '5 d')
  assert.equal(listed('2026-11-27T09:00:00Z'), '18 Nov')
  // A new year has begun in Seoul.
  assert.equal(listed('2026-12-31T16:00:00Z'), '18 Nov 2026')
  assert.equal(listed('2026-11-27T09:00:00Z', ko), '2026.11.18 17:45')
})

test('an age is read without abbreviations, and older times as dates', () => {
  const after = (minutes: number) => new Date(AT.getTime() + minutes * 60_000)
  const aged = agedMoment(AT, 'UTC', en, after(180))
  assert.deepEqual([aged.text, spokenMoment(aged, en)], ['3 h', '3 hours ago'])
  assert.equal(spokenMoment(agedMoment(AT, 'UTC', en, after(1)), en), '1 minute ago')
  assert.equal(spokenMoment(agedMoment(AT, 'UTC', ko, after(180)), ko), '3시간 전')
  assert.match(spokenMoment(agedMoment(AT, 'UTC', en, after(60 * 24 * 8)), en), /^18 November 2026/)
})
