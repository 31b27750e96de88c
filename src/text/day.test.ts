import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDay } from './dates.ts'

test('a day is one of the calendar that PostgreSQL takes', () => {
  for (const day of ['2026-12-01', '2028-02-29', '1000-01-01', '2999-12-31']) assert.ok(isDay(day), day)
  const none = [
    '2026-02-29',
    '2027-02-30',
    '2026-13-01',
    '2026-00-10',
    '0000-01-01',
    '9999-12-31',
    '3000-01-01',
  ]
  for (const day of [
    ...none,
    '2026-1-1',
    '+02026-01-01',
    ' 2026-01-01',
    '2026-01-01\n',
    '2026-01-01T10:00',
    '',
  ])
    assert.ok(!isDay(day), day)
})
