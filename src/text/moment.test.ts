import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ageOf, dayOf, momentOf } from './moment.ts'

const at = new Date('2026-11-21T14:05:06.789Z')
const later = (minutes: number) => ageOf(at, new Date(at.getTime() + minutes * 60_000))

test('a moment tells its day and time, and in its title the zone', () => {
  const [title, zone] = ['2026.11.21 23:05 Asia/Seoul', 'Asia/Seoul']
  assert.deepEqual(momentOf(at, 'Asia/Seoul'), {
    iso: at.toISOString(),
    text: '2026.11.21 23:05',
    title,
    zone,
  })
  assert.deepEqual(dayOf(at, 'Asia/Seoul'), { iso: at.toISOString(), text: '2026.11.21', title, zone })
})

test('an age is told in the largest unit that fits, for less than seven days', () => {
  assert.deepEqual(later(-3), { unit: 'now', count: 0 })
  assert.deepEqual(later(0.9), { unit: 'now', count: 0 })
  assert.deepEqual(later(59), { unit: 'minutes', count: 59 })
  assert.deepEqual(later(60), { unit: 'hours', count: 1 })
  assert.deepEqual(later(23.9 * 60), { unit: 'hours', count: 23 })
  assert.deepEqual(later(7 * 24 * 60 - 1), { unit: 'days', count: 6 })
  assert.equal(later(7 * 24 * 60), null)
})
