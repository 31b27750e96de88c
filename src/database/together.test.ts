import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { connect } from './connection.ts'
import { together } from './together.ts'

suite('asking together', () => {
  const nowhere = () => connect('postgres://nobody@127.0.0.1:1/none')

  test('who comes while one is asked for waits and is asked for with the others; each gets their own answer', async () => {
    const asked: (readonly number[])[] = []
    const double = together(async (_db, all: readonly number[]) => {
      asked.push(all)
      await setImmediate()
      return all.map((one) => 2 * one)
    })
    const db = nowhere()
    const first = double(db, 1)
    await setImmediate()
    const others = [2, 3, 4].map((one) => double(db, one))
    assert.deepEqual(await Promise.all([first, ...others]), [2, 4, 6, 8])
    assert.deepEqual(asked, [[1], [2, 3, 4]])
    assert.deepEqual(await Promise.all([double(nowhere(), 5), double(nowhere(), 6)]), [10, 12])
    assert.equal(asked.length, 4)
  })

  test('a failure is that of who asked together, and of nobody after them', async () => {
    const work = together(async (_db, all: readonly number[]) => {
      if (all.includes(0)) throw new Error('nothing')
      return all
    })
    const db = nowhere()
    const outcomes = await Promise.allSettled([work(db, 0), work(db, 1)])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.equal(await work(db, 1), 1)
  })

  test('one that takes long does not hold up those after it', async () => {
    let release = () => {}
    const work = together(async (_db, all: readonly string[]) => {
      if (all.includes('slow')) await new Promise<void>((resolve) => (release = resolve))
      return all
    })
    const db = nowhere()
    const slow = work(db, 'slow')
    await setImmediate()
    assert.equal(await work(db, 'quick'), 'quick')
    release()
    assert.equal(await slow, 'slow')
  })
})
