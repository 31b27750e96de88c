import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScopeClock } from './scope-clock.ts'

test('what was read before a change of one of its scopes is stale, and what was read after it is current', () => {
  const clock = new ScopeClock()
  const before = clock.now
  clock.touch(['course:1', 'site'])
  assert.equal(clock.isCurrent(['course:2', 'site'], before), false)
  assert.equal(clock.isCurrent(['course:2'], before), true)
  assert.equal(clock.isCurrent(['course:1', 'site'], clock.now), true)
  const after = clock.now
  clock.touch(['*'])
  assert.equal(clock.isCurrent([], after), false)
  assert.equal(clock.isCurrent(['course:1'], clock.now), true)
})

test('beyond many scopes all that was read before is stale, and nothing that changed is taken for current', () => {
  const clock = new ScopeClock()
  clock.touch(['question:0'])
  const before = clock.now
  for (let id = 1; id <= 20_000; id += 1) clock.touch([`question:${id}`])
  assert.equal(clock.isCurrent(['question:0'], before), false)
  assert.equal(clock.isCurrent(['question:20000'], clock.now - 1), false)
  assert.equal(clock.isCurrent(['question:20000'], clock.now), true)
})
