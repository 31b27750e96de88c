import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect } from '../../database/connection.ts'
import { atEnd } from '../../testing/at-end.ts'
import { getPage } from './client.ts'
import { atLeast, atMost, type Claim, type Fault, type FaultContext, none, timed } from './fault.ts'
import { nothingLost } from './kept.ts'
import { isServed, startTraffic } from './traffic.ts'
import { aWorld } from './world.ts'

/** Milliseconds. */
const HELD_MS = 5000

export const poolBusy: Fault = {
  name: 'pool-busy',
  fault: 'all pool connections busy; a slow query',
  done: `30 readers and 10 writers; a table that every page needs is locked for ${HELD_MS / 1000} s, so that each connection waits`,
  wanted: 'bounded waiting, 503 for the excess, health page still answers, recovery at once',
  isQuick: false,
  run: keepPoolBusy,
}

async function keepPoolBusy(context: FaultContext): Promise<Claim[]> {
  const { db, url, forum, people, question } = await aWorld(context, { people: 40 })
  const untimed = connect(url, { statementTimeout: 0 })
  atEnd(context.end, () => untimed.destroy())
  const traffic = startTraffic(context.end, forum.url, people, question, {
    readers: 30,
    writers: 10,
    pause: 50,
  })
  await sleep(500)
  const [begun, health] = [performance.now(), [] as number[]]
  await untimed.transaction().execute(async (write) => {
    await sql`lock table questions in access exclusive mode`.execute(write)
    for (const end = performance.now() + HELD_MS; performance.now() < end; await sleep(100))
      health.push((await getPage(forum.url, '/healthz')).milliseconds)
  })
  const free = performance.now()
  await sleep(1500)
  const sent = await traffic.stop()
  const meanwhile = sent.filter((one) => one.ended > begun && one.begun < free)
  const strange = sent.filter((one) => !isServed(one) && (one.status !== 503 || one.retryAfter === null))
  const after = sent.filter((one) => one.begun > free + 100)
  return [
    // Only of posts: readers share one rendering, which leaves out what it can't read in time.
    atLeast('503 meanwhile', meanwhile.filter(({ status }) => status === 503).length, 1),
    none(
      'requests without an answer, or with another than 503 and Retry-After',
      strange.map(({ status, failure }) => failure ?? String(status)),
      sent.length,
    ),
    ...timed(
      context,
      atMost('slowest answer', Math.max(...sent.map((one) => one.ended - one.begun)), 10_000, 'ms'),
    ),
    ...timed(context, atMost('slowest health page', Math.max(...health), 2000, 'ms')),
    none(
      'requests begun 0.1 s after the end that were not served',
      after.filter((one) => !isServed(one)).map(({ status }) => String(status)),
      after.length,
    ),
    ...(await nothingLost(db, sent)),
  ]
}
