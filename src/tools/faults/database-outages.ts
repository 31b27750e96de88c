import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { getPage } from './client.ts'
import { passableFolder } from './databases.ts'
import { atLeast, atMost, type Claim, equal, type Fault, type FaultContext, none, timed } from './fault.ts'
import { nothingLost } from './kept.ts'
import { type OwnServer, startServer } from './server.ts'
import { isServed, type Sent, startTraffic, type Traffic } from './traffic.ts'
import { aWorld } from './world.ts'

const GUARANTEES =
  'pages 503 with Retry-After within 3 s, no hang, no crash; serves again within 5 s of its return, without a restart; no acknowledged write lost'

const STOPPED_MS = 10_000

export const databaseStopped: Fault = {
  name: 'database-stopped',
  fault: 'PostgreSQL stopped for 10 s, then started',
  done: `8 readers and 4 writers; PostgreSQL stopped as an operator does, and started again ${STOPPED_MS / 1000} s later`,
  wanted: GUARANTEES,
  isQuick: false,
  run: (context) =>
    throughOutage(context, async (server) => {
      await server.stop()
      await sleep(STOPPED_MS)
      await server.start()
    }),
}

export const databaseKilled: Fault = {
  name: 'database-killed',
  fault: 'PostgreSQL killed (kill -9)',
  done: '8 readers and 4 writers; SIGKILL to PostgreSQL’s first process, and a start that recovers from its log',
  wanted: GUARANTEES,
  isQuick: true,
  run: (context) =>
    throughOutage(context, async (server) => {
      await server.kill()
      await sleep(500)
      await server.start()
    }),
}

const CUTS_COUNT = 5

export const connectionsCut: Fault = {
  name: 'connections-cut',
  fault: 'connections cut by an administrator',
  done: `8 readers and 4 writers; pg_terminate_backend for each connection of the forum, ${CUTS_COUNT} times in 1.5 s`,
  wanted: GUARANTEES,
  isQuick: false,
  run: (context) =>
    throughOutage(context, async ({ db }) => {
      for (let cut = 0; cut < CUTS_COUNT; cut += 1) {
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`.execute(db)
        await sleep(300)
      }
    }),
}

/** @param outage resolves when the database is available again */
async function throughOutage(
  context: FaultContext,
  outage: (server: OwnServer) => Promise<void>,
): Promise<Claim[]> {
  const server = await startServer(context.end, await passableFolder(context.end))
  const { db, forum, people, question } = await aWorld(context, { database: server })
  const traffic = startTraffic(context.end, forum.url, people, question, {
    readers: 8,
    writers: 4,
    pause: 25,
  })
  const health = watchHealth(context.end, forum.url)
  await sleep(1000)
  const begun = performance.now()
  await outage(server)
  const back = performance.now()
  context.say(`PostgreSQL was away for ${((back - begun) / 1000).toFixed(1)} s`)
  await untilServed(traffic, back)
  await sleep(1000)
  const sent = await traffic.stop()
  const failed = sent.filter((one) => !isServed(one))
  const late = failed.filter((one) => one.ended > back).map((one) => one.ended - back)
  return [
    atLeast('requests, in all', sent.length, 100),
    none(
      'requests without an answer, or with another than 503 and Retry-After',
      failed.filter(isStrange).map(told),
    ),
    ...timed(
      context,
      atMost('slowest answer', Math.max(...sent.map((one) => one.ended - one.begun)), 3000, 'ms'),
    ),
    ...timed(context, atMost('last 503 after the database was back', Math.max(0, ...late), 5000, 'ms')),
    none('health pages that did not answer', await health.stop()),
    equal('the process is the same', isAlive(forum.pid), true),
    ...(await nothingLost(db, sent)),
  ]
}

const isStrange = ({ status, retryAfter }: Sent) => status !== 503 || retryAfter === null
const told = ({ status, failure }: Sent) => failure ?? String(status)

/** Until a read and a write that began after this moment succeeded, or for ten seconds. */
async function untilServed({ sent }: Traffic, moment: number): Promise<void> {
  const isBack = (kind: Sent['kind']) =>
    sent.some((one) => one.kind === kind && one.begun > moment && isServed(one))
  while (performance.now() < moment + 10_000 && !(isBack('read') && isBack('write'))) await sleep(20)
}

function watchHealth(end: Ending, url: string) {
  const failures: string[] = []
  let isStopping = false
  const watching = (async () => {
    while (!isStopping) {
      const answer = await getPage(url, '/healthz').catch((error: unknown) => String(error))
      if (typeof answer === 'string' || answer.status !== 200) failures.push(JSON.stringify(answer))
      await sleep(200)
    }
  })()
  const stop = async () => {
    isStopping = true
    await watching
    return failures
  }
  atEnd(end, async () => void (await stop()))
  return { stop }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
