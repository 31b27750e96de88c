import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect } from '../database/connection.ts'
import { atEnd } from '../testing/at-end.ts'
import { getPage } from './client.ts'
import { atLeast, atMost, type Claim, type Fault, type Ground, none } from './fault.ts'
import { nothingLost } from './kept.ts'
import { isServed, startTraffic } from './traffic.ts'
import { aWorld } from './world.ts'

/** Milliseconds. */
const HELD = 5000

export const poolBusy: Fault = {
  name: 'pool-busy',
  fault: 'all pool connections busy; a slow query',
  done: `30 readers and 10 writers; a table that every page needs is locked for ${HELD / 1000} s, so that each connection waits`,
  wanted: 'bounded waiting, 503 for the excess, health page still answers, recovery at once',
  isQuick: false,
  run: keepPoolBusy,
}

async function keepPoolBusy(ground: Ground): Promise<Claim[]> {
  const { db, url, forum, people, question } = await aWorld(ground, { people: 40 })
  const patient = connect(url, { statementTimeout: 0 })
  atEnd(ground.end, () => patient.destroy())
  const traffic = startTraffic(ground.end, forum.url, people, question, {
    readers: 30,
    writers: 10,
    pause: 50,
  })
  await sleep(500)
  const [begun, health] = [performance.now(), [] as number[]]
  await patient.transaction().execute(async (write) => {
    await sql`lock table questions in access exclusive mode`.execute(write)
    for (const end = performance.now() + HELD; performance.now() < end; await sleep(100))
      health.push((await getPage(forum.url, '/healthz')).milliseconds)
  })
  const free = performance.now()
  await sleep(1500)
  const sent = await traffic.stop()
  const meanwhile = sent.filter((one) => one.ended > begun && one.begun < free)
  const strange = sent.filter((one) => !isServed(one) && (one.status !== 503 || one.retryAfter === null))
  const after = sent.filter((one) => one.begun > free + 100)
  return [
    atLeast('503 meanwhile', meanwhile.filter(({ status }) => status === 503).length, 10),
    none(
      'requests without an answer, or with another than 503 and Retry-After',
      strange.map(({ status, failure }) => failure ?? String(status)),
      sent.length,
    ),
    atMost('slowest answer', Math.max(...sent.map((one) => one.ended - one.begun)), 10_000, 'ms'),
    atMost('slowest health page', Math.max(...health), 2000, 'ms'),
    none(
      'requests begun 0.1 s after the end that were not served',
      after.filter((one) => !isServed(one)).map(({ status }) => String(status)),
      after.length,
    ),
    ...(await nothingLost(db, sent)),
  ]
}
