import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { NoTurn, Turns } from './turns.ts'

const BOUNDS = { room: 4, waiting: 6, waitingOfName: 3, patience: 60_000 }

/** Wishes by name, noted when they are granted. */
function aQueue(bounds = BOUNDS) {
  const turns = new Turns(bounds)
  const granted: string[] = []
  const ends = new Map<string, () => void>()
  const wish = (name: string, size = 1, of?: string, signal?: AbortSignal) => {
    const counts = of === undefined ? [] : [{ name: of, most: 2 }]
    const taken = turns.take({ size, counts, ...(signal && { signal }) })
    taken.then(
      (end) => {
        granted.push(name)
        ends.set(name, end)
      },
      () => undefined,
    )
    return taken
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await setImmediate()
  }
  return { wish, end, granted }
}

suite('turns', () => {
  test('are as many as there is room for, in the order of asking, a large one too', async () => {
    const { wish, end, granted } = aQueue()
    for (const name of ['a', 'b', 'c']) wish(name)
    wish('large', 3)
    wish('d')
    await setImmediate()
    assert.deepEqual(granted, ['a', 'b', 'c'], 'd waits behind the large one')
    await end('a')
    await end('a')
    assert.deepEqual(granted, ['a', 'b', 'c'])
    await end('b')
    assert.deepEqual(granted, ['a', 'b', 'c', 'large'])
    await end('c')
    assert.deepEqual(granted, ['a', 'b', 'c', 'large', 'd'])
  })

  test('of one name are bounded, and keep nobody else waiting', async () => {
    const { wish, end, granted } = aQueue()
    for (const name of ['1', '2', '3', '4']) wish(name, 1, 'hog')
    wish('other', 1, 'somebody')
    await setImmediate()
    assert.deepEqual(granted, ['1', '2', 'other'])
    wish('5', 1, 'hog')
    await assert.rejects(wish('6', 1, 'hog'), NoTurn)
    await end('1')
    assert.deepEqual(granted, ['1', '2', 'other', '3'])
  })

  test('that nobody wants any more are over, and so is waiting for long or behind too many', async () => {
    const { wish, end, granted } = aQueue()
    wish('all', 4)
    const gone = new AbortController()
    const left = wish('left', 4, undefined, gone.signal)
    wish('next')
    gone.abort()
    await assert.rejects(left, NoTurn)
    for (let count = 0; count < 5; count += 1) wish(`${count}`)
    await assert.rejects(wish('one too many'), NoTurn)
    await end('all')
    assert.deepEqual(granted, ['all', 'next', '0', '1', '2'])
    await assert.rejects(wish('larger than all', 5), NoTurn)
    const impatient = aQueue({ ...BOUNDS, patience: 1 })
    impatient.wish('all', 4)
    await assert.rejects(impatient.wish('late'), NoTurn)
  })
})
