import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharesSvg, waitsSvg } from './drawing.ts'

test('longer waits stand above shorter ones, also where none can be shown', () => {
  for (const seconds of ['few', 90, 400_000] as const) {
    const svg = waitsSvg(
      { labels: ['9.7'], labelledBy: 'title' },
      [{ median: seconds, ninetieth: seconds }],
      (value) => `${value}s`,
    )
    const ticks = [
      ...svg.matchAll(/translate\(0,([\d.]+)\)"[^>]*><line[^>]*>(?:<\/line>)?<text[^>]*>(\d+)s</g),
    ]
    const heights = ticks.map(([, height, value]) => ({ height: Number(height), value: Number(value) }))
    assert.ok(heights.length >= 2, svg)
    const upwards = heights.toSorted((one, other) => other.height - one.height)
    assert.deepEqual(
      upwards.map(({ value }) => value),
      heights.map(({ value }) => value).toSorted((one, other) => one - other),
      `for ${seconds}`,
    )
  }
})

test('the last number that is known is written at the end of its line', () => {
  const series = { labels: ['9.7', '9.14', '9.21'], labelledBy: 'title' }
  const nameOf = (share: number) => `${share * 100} of 100`
  const written = (svg: string) =>
    [...svg.matchAll(/class="strong-text"[^>]*>([^<]*)</g)].map(([, text]) => text)
  assert.deepEqual(written(sharesSvg(series, [0.5, 0.25, 'few'], nameOf)), ['25 of 100'])
  assert.deepEqual(written(sharesSvg(series, [null, 'few', null], nameOf)), [])
})
