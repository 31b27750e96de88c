import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeZones } from '../text/dates.ts'
import { zoneNames } from './zone-names.ts'

const WINTER = new Date('2026-11-23T12:00:00Z')

test('time zones are named by their city in the language, with the offset of the day', () => {
  const textOf = (language: 'en' | 'ko', zone: string, now = WINTER) =>
    zoneNames(language, now).find(({ value }) => value === zone)?.text
  assert.equal(textOf('ko', 'Asia/Seoul'), '서울 (Asia/Seoul, UTC+9)')
  assert.equal(textOf('en', 'Asia/Seoul'), 'Seoul (Asia/Seoul, UTC+9)')
  assert.equal(textOf('en', 'America/New_York'), 'New York (America/New_York, UTC-5)')
  assert.equal(
    textOf('en', 'America/New_York', new Date('2026-07-01T12:00:00Z')),
    'New York (America/New_York, UTC-4)',
  )
  assert.equal(textOf('en', 'UTC'), 'UTC')
  assert.deepEqual(
    zoneNames('ko', WINTER)
      .map(({ value }) => value)
      .sort(),
    timeZones(),
  )
  const unnamed = zoneNames('ko', WINTER).filter(({ text }) => !/^\p{Script=Hangul}/u.test(text))
  assert.deepEqual(
    unnamed.map(({ value }) => value),
    ['UTC'],
  )
})
