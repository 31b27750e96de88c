import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { together } from './together.ts'

suite('what is asked for at about the same time', () => {
  test('goes in one round, and what comes meanwhile in the next', async () => {
    const rounds: number[][] = []
    const firstRound = Promise.withResolvers<void>()
    const double = together(async (keys: readonly number[]) => {
      rounds.push([...keys])
      if (rounds.length === 1) await firstRound.promise
      return new Map(keys.filter((key) => key !== 3).map((key) => [key, 2 * key]))
    })
    const first = [double(1), double(2)]
    await null
    const next = [double(3), double(4)]
    firstRound.resolve()
    assert.deepEqual(await Promise.all(first), [2, 4])
    assert.deepEqual(await Promise.all(next), [undefined, 8])
    assert.deepEqual(rounds, [
      [1, 2],
      [3, 4],
    ])
    assert.equal(await double(5), 10)
  })

  test('goes in several rounds where one would be too large', async () => {
    const rounds: number[][] = []
    const same = together(async (keys: readonly number[]) => {
      rounds.push([...keys])
      return new Map(keys.map((key) => [key, key]))
    }, 2)
    assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map(same)), [1, 2, 3, 4, 5])
    assert.deepEqual(rounds, [[1, 2], [3, 4], [5]])
  })

  test('fails together, and the next round is done all the same', async () => {
    let isAway = true
    const find = together(async (keys: readonly string[]) => {
      if (isAway) throw new Error('away')
      return new Map(keys.map((key) => [key, true]))
    })
    const outcomes = await Promise.allSettled([find('a'), find('b')])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    isAway = false
    assert.equal(await find('a'), true)
  })
})
