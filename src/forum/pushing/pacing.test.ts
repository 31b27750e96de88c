import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Pacing, StillSlow } from './send-push.ts'

suite('pushes', () => {
  test('are one at a time for a person and for a host, and of all others at once', async () => {
    const pacing = new Pacing(() => 0)
    const running: string[] = []
    const ends: (() => void)[] = []
    const push = (person: string, host: string) =>
      pacing.one([person, host], () => {
        running.push(`${person} ${host}`)
        return new Promise<void>((resolve) => ends.push(resolve))
      })
    const all = [push('a', '1'), push('a', '2'), push('b', '1'), push('c', '3')]
    await setImmediate()
    assert.deepEqual(running, ['a 1', 'c 3'])
    ends[0]?.()
    await setImmediate()
    assert.deepEqual(running, ['a 1', 'c 3', 'a 2', 'b 1'])
    for (const end of ends) end()
    await Promise.all(all)
  })

  test('of who was slow fail at once, for longer each time, and hold up nobody else', async () => {
    let now = 0
    const pacing = new Pacing(() => now)
    let posted = 0
    const push = (names: readonly string[], takes = 1) =>
      pacing.one(names, async () => {
        posted += 1
        now += takes
      })
    const fails = (names: readonly string[]) => assert.rejects(push(names), StillSlow)
    await push(['slow', 'evil.example'], 5_000)
    await fails(['slow', 'other.example'])
    await fails(['other', 'evil.example'])
    await push(['other', 'other.example'])
    assert.equal(posted, 2)
    now += 61_000
    await push(['slow', 'third.example'], 5_000)
    now += 61_000
    await fails(['slow', 'fourth.example'])
    now += 60_000
    await push(['slow', 'fourth.example'])
    await push(['slow', 'fourth.example'])
    assert.equal(posted, 5, 'and once they are quick again, nothing is left of it')
  })
})
