import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { inTurnOf, NotDone, RoundRobin, Task } from './thread.ts'

/** A kind of work whose function has this body. */
const aTask = (work: string, timeout = 60_000) => {
  const source = `export default async (given) => { ${work} }`
  const module = `data:text/javascript,${encodeURIComponent(source)}`
  return new Task<(given: unknown) => unknown>(module, 'default', timeout)
}

suite('the thread', () => {
  test('does one piece of work after the other, of any kind, and tells what was thrown', async () => {
    const task = aTask("if (given === 'bad') throw new Error('bad work'); return given + 1")
    const other = aTask('return -given')
    assert.deepEqual(await Promise.all([task.call(1), other.call(5), task.call(2)]), [2, -5, 3])
    await assert.rejects(task.call('bad'), /bad work/)
    assert.equal(await task.call(4), 5)
  })

  test('ends what takes too long or dies, and goes on with the next', async () => {
    const ends = "if (given === 'for ever') for (;;) {} if (given === 'die') process.exit(); return given"
    const task = aTask(ends, 2_000)
    const calls = [task.call('for ever'), task.call('die'), aTask('return given').call('next')]
    const [slow, dead, next] = await Promise.allSettled(calls)
    assert.ok(slow?.status === 'rejected' && slow.reason instanceof NotDone)
    assert.ok(dead?.status === 'rejected' && dead.reason instanceof NotDone)
    assert.deepEqual(next, { status: 'fulfilled', value: 'next' })
  })

  test('does a piece of each person in turn, however many one person has waiting', async () => {
    const done: string[] = []
    const task = aTask('return given')
    const calls = [1, 1, 1, 1, 2, 3, 2].map(async (person, index) => {
      await inTurnOf({ id: person }, () => task.call(index))
      done.push(`${person}`)
    })
    await Promise.all(calls)
    // The first piece began before the others came.
    assert.equal(done.join(' '), '1 1 2 3 1 2 1')
  })
})

test('a queue by turns is empty when all were served', () => {
  const turns = new RoundRobin<number>()
  for (const [index, of] of ['a', 'a', 'b'].entries()) turns.add(index + 1, of)
  const taken = Array.from({ length: 4 }, () => turns.take())
  assert.deepEqual(taken, [1, 3, 2, undefined])
})
