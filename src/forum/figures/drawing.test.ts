import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareLine, waitLines } from './drawing.ts'
import type { Cell } from './tally.ts'

test('longer waits stand above shorter ones, also where none can be shown', () => {
  for (const seconds of ['few', 90, 400_000] as const) {
    const { axes } = waitLines(['9.7'], [{ median: seconds, ninetieth: seconds }], (value) => `${value}`)
    const ticks = (axes[1]?.ticks ?? []).toSorted((one, other) => other.y - one.y)
    const upwards = ticks.map(({ text }) => Number(text))
    assert.ok(upwards.length >= 2)
    assert.deepEqual(
      upwards,
      [...upwards].sort((one, other) => one - other),
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
