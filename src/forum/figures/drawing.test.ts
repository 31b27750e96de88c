import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valuesOf } from '../../testing/rows.ts'
import { shareLine, waitLines } from './drawing.ts'
import type { Cell } from './tally.ts'

test('longer waits stand above shorter ones, also where none can be shown', () => {
  for (const seconds of ['few', 90, 400_000] as const) {
    const { axes } = waitLines(['9.7'], [{ median: seconds, ninetieth: seconds }], (value) => `${value}`)
    const heights = (axes[1]?.ticks ?? []).map(({ y, text }) => ({ height: y, value: Number(text) }))
    assert.ok(heights.length >= 2)
    const upwards = heights.toSorted((one, other) => other.height - one.height)
    assert.deepEqual(
      valuesOf(upwards, 'value'),
      heights.map(({ value }) => value).toSorted((one, other) => one - other),
      `for ${seconds}`,
    )
  }
})

test('the last number that is known is written at the end of its line', () => {
  const labels = ['9.7', '9.14', '9.21']
  const written = (shares: readonly Cell[]) =>
    shareLine(labels, shares, (share) => `${share * 100} of 100`).lines.map(({ last }) => last?.text)
  assert.deepEqual(written([0.5, 0.25, 'few']), ['25 of 100'])
  assert.deepEqual(written([null, 'few', null]), [undefined])
})
