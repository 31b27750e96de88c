import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { NotDone, Thread } from './thread.ts'

/** A thread whose work is the body of a function of `given`. */
const aThread = (work: string, timeout = 60_000) => {
  const serve = new URL('./serve.ts', import.meta.url)
  const source = `import { serve } from '${serve}'; serve(async (given) => { ${work} })`
  return new Thread<unknown, unknown>(new URL(`data:text/javascript,${encodeURIComponent(source)}`), timeout)
}

suite('a thread', () => {
  test('does one piece of work after the other, and tells what was thrown', async () => {
    const thread = aThread("if (given === 'bad') throw new Error('bad work'); return given + 1")
    assert.deepEqual(await Promise.all([thread.call(1), thread.call(2)]), [2, 3])
    await assert.rejects(thread.call('bad'), /bad work/)
    assert.equal(await thread.call(4), 5)
  })

  test('ends what takes too long or dies, and goes on with the next', async () => {
    const thread = aThread(
      "if (given === 'for ever') for (;;) {} if (given === 'die') process.exit(); return given",
      2_000,
    )
    const calls = [thread.call('for ever'), thread.call('die'), thread.call('next')]
    const [slow, dead, next] = await Promise.allSettled(calls)
    assert.ok(slow?.status === 'rejected' && slow.reason instanceof NotDone)
    assert.ok(dead?.status === 'rejected' && dead.reason instanceof NotDone)
    assert.deepEqual(next, { status: 'fulfilled', value: 'next' })
  })
})
