import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { MAIN_JOURNEYS, OUTER_UNITS, rings } from './rings.ts'

test('each test file is in one ring, and each line of the lists names a file', () => {
  const { inner, outer } = rings()
  const all = [...globSync('src/**/*.test.ts'), ...globSync('e2e/*.spec.ts')].sort()
  assert.deepEqual([inner, outer].flatMap(({ units, journeys }) => [...units, ...journeys]).sort(), all)
  for (const pattern of [...OUTER_UNITS, ...MAIN_JOURNEYS]) assert.ok(globSync(pattern).length > 0, pattern)
})
