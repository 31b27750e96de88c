import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocksOf, mondaysOf, type PeopledWeek, unitOf, weeksBetween, weeksShown } from './periods.ts'

const WEEKS = mondaysOf(weeksBetween('2026-05-18', '2026-11-01'))
const weeksOf = (people: readonly (readonly number[])[]): PeopledWeek[] =>
  people.map((some, index) => ({ monday: WEEKS[index] ?? '', people: some }))
/** So many people, always others. */
const crowds = (...sizes: number[]) =>
  weeksOf(sizes.map((size, week) => Array.from({ length: size }, (_, person) => week * 100 + person)))

test('any two ranges differ in what is shown by five people or by no one', () => {
  // The same numbers each time: the generator of Park and Miller.
  let seed = 7
  const below = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % most
  }
  let shownAtAll = 0
  for (let round = 0; round < 8; round += 1) {
    const weeks = weeksOf(WEEKS.map(() => Array.from({ length: below(8) }, () => below(5 + 4 * round))))
    const peopleOf = new Map(weeks.map(({ monday, people }) => [monday, people]))
    const blocks = blocksOf(weeks)
    const ranges = WEEKS.flatMap((_, first) =>
      WEEKS.slice(first).map((_, length) => new Set(WEEKS.slice(first, first + length + 1))),
    ).map((range) => new Set(weeksShown(blocks, range)))
    for (const one of ranges)
      for (const other of ranges) {
        const between = [...one].filter((monday) => !other.has(monday))
        const people = new Set(between.flatMap((monday) => peopleOf.get(monday) ?? []))
        assert.ok(people.size === 0 || people.size >= 5, `round ${round}: ${between.join(' ')}`)
        shownAtAll += people.size
      }
  }
  assert.ok(shownAtAll > 0)
})

test('weeks are joined to a month, a quarter and beyond until five people are together', () => {
  assert.deepEqual(blocksOf(crowds(5, 0, 6)), [['2026-05-18'], ['2026-06-01']])
  // The rest of June, beside its week of six.
  assert.deepEqual(blocksOf(crowds(0, 0, 6, 2, 3)), [['2026-06-01'], ['2026-06-08', '2026-06-15']])
  // May and June are one quarter.
  assert.deepEqual(blocksOf(crowds(2, 1, 1, 0, 1)), [WEEKS.slice(0, 5).filter((_, week) => week !== 3)])
  // The ends of June and of the next quarter, and as long as they are four: nothing.
  assert.deepEqual(blocksOf(crowds(0, 0, 0, 0, 0, 2, 3)), [['2026-06-22', '2026-06-29']])
  assert.deepEqual(blocksOf(crowds(0, 0, 0, 0, 0, 2, 2)), [])
})

test('figures are by the narrowest period in which five people mostly asked', () => {
  assert.equal(unitOf(crowds(5, 5, 1)), 'week')
  assert.equal(unitOf(crowds(1, 1, 2, 2, 2, 5)), 'month')
  assert.equal(unitOf(crowds(2, 1, 1, 0, 1)), 'quarter')
  assert.equal(unitOf(crowds(2, 1)), 'range')
  assert.equal(unitOf(crowds(0, 0)), 'week')
})
