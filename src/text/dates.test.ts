import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDay, formatMoment, isDay, isTimeZone, timeZones } from './dates.ts'

const afternoon = new Date('2026-11-21T15:05:00Z')

test('times are shown in a zone, with two digits and 24 hours', () => {
  assert.equal(formatMoment(afternoon, 'UTC'), '2026.11.21 15:05')
  assert.equal(formatMoment(afternoon, 'Asia/Seoul'), '2026.11.22 00:05')
  assert.equal(formatMoment(new Date('2026-03-05T04:03:00Z'), 'Asia/Kolkata'), '2026.03.05 09:33')
  assert.equal(formatDay(afternoon, 'America/New_York'), '2026.11.21')
  assert.equal(formatDay(afternoon, 'Asia/Seoul'), '2026.11.22')
})

test('summer time is kept', () => {
  assert.equal(formatMoment(new Date('2026-07-01T12:00:00Z'), 'Europe/Berlin'), '2026.07.01 14:00')
  assert.equal(formatMoment(new Date('2026-01-01T12:00:00Z'), 'Europe/Berlin'), '2026.01.01 13:00')
})

test('time zones are names of the tz database, offsets are not', () => {
  for (const name of ['UTC', 'Asia/Seoul', 'Asia/Kolkata', 'Etc/GMT+9']) assert.ok(isTimeZone(name), name)
  for (const name of ['', 'Mars/Phobos', '+09:00', '__proto__', 'Asia/Seoul\0', ' UTC'])
    assert.ok(!isTimeZone(name), name)
})

test('every zone to choose from is one, under its current name, and once', () => {
  const zones = timeZones()
  for (const zone of zones) assert.ok(isTimeZone(zone), zone)
  assert.equal(new Set(zones).size, zones.length)
  for (const name of ['UTC', 'Asia/Seoul', 'Asia/Kolkata', 'Europe/Kyiv'])
    assert.ok(zones.includes(name), name)
  for (const name of ['Asia/Calcutta', 'Europe/Kiev']) assert.ok(!zones.includes(name), name)
})

test('a day is one of the calendar that PostgreSQL takes', () => {
  for (const day of ['2026-12-01', '2028-02-29', '1000-01-01', '2999-12-31']) assert.ok(isDay(day), day)
  for (const day of [
    ...['2026-02-29', '2027-02-30', '2026-13-01', '2026-00-10', '0000-01-01', '9999-12-31', '3000-01-01'],
    ...['2026-1-1', '+02026-01-01', ' 2026-01-01', '2026-01-01\n', '2026-01-01T10:00', ''],
  ])
    assert.ok(!isDay(day), day)
})
