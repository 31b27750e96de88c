import { setTimeout as sleep } from 'node:timers/promises'
import { startProxy } from '../../testing/tcp-proxy.ts'
import { atLeast, atMost, type Claim, type Fault, type FaultContext } from './fault.ts'
import { connectionsOf, drip, Sockets } from './sockets.ts'
import { asUsualDuring } from './usual-pages.ts'
import { aWorld, type World } from './world.ts'

const CONNECTIONS = 250
/** By then the last slow connection must be closed: 60 s of silence, checked every 30 s. */
const CLOSED_WITHIN_MS = 100_000

export const slowClients: Fault = {
  name: 'slow-clients',
  fault: 'slow clients, half-open sockets',
  done: `${CONNECTIONS} connections that send nothing, ${CONNECTIONS} that send their headers a byte a second, ${CONNECTIONS} that send a form that slowly, ${CONNECTIONS} that ask for 50 pages each and do not read them, and ${CONNECTIONS} behind a line of 2 KB a second`,
  wanted: 'others are served as usual; bounded memory; unfinished requests are closed',
  isQuick: false,
  run: beSlow,
}

async function beSlow(context: FaultContext): Promise<Claim[]> {
  const world = await aWorld(context)
  const slow = new Sockets(context.end)
  const usual = await connectionsOf(world.forum.pid)
  // A few connections for the requests of regular pages.
  const isOver = async () => (await connectionsOf(world.forum.pid)) < usual + 10
  const { result, claims } = await asUsualDuring(context, world, async () => {
    await connectSlowly(context, world, slow)
    context.say(
      `${await connectionsOf(world.forum.pid)} connections; waiting until the forum has ended the slow ones`,
    )
    const begun = performance.now()
    while (!(await isOver()) && performance.now() - begun < CLOSED_WITHIN_MS) await sleep(250)
    return (performance.now() - begun) / 1000
  })
  const left = Math.max(0, (await connectionsOf(world.forum.pid)) - usual)
  return [
    ...claims,
    atMost('slow connections still open in the end', left, 9, 'of them'),
    atMost('until then', result, CLOSED_WITHIN_MS / 1000, 's'),
  ]
}

async function connectSlowly(
  { end }: FaultContext,
  { forum, question }: World,
  slow: Sockets,
): Promise<void> {
  const port = Number(new URL(forum.url).port)
  const line = await startProxy(end, { host: '127.0.0.1', port })
  line.slowDown(2000)
  const head = `GET ${question.path} HTTP/1.1\r\nHost: forum\r\n`
  const form = `POST /questions/${question.id}/answers HTTP/1.1\r\nHost: forum\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n`
  for (let number = 0; number < CONNECTIONS; number += 1) {
    await slow.connect(port)
    void drip(await slow.connect(port), `${head}X-Long: ${'x'.repeat(1000)}`, 1000)
    void drip(await slow.connect(port, form), 'x'.repeat(1000), 1000)
    const deaf = await slow.connect(port, `${head}\r\n`.repeat(50))
    deaf.pause()
    const far = await slow.connect(line.port, `${head}Connection: close\r\n\r\n`)
    far.resume()
  }
}

const IDLE_CONNECTIONS_MS = 5000

export const idleConnections: Fault = {
  name: 'idle-connections',
  fault: '5,000 idle keep-alive connections',
  done: `${IDLE_CONNECTIONS_MS} connections that ask for one page each and stay`,
  wanted: 'others are served as usual; bounded memory',
  isQuick: false,
  run: async (context) => {
    const world = await aWorld(context)
    const idle = new Sockets(context.end)
    const port = Number(new URL(world.forum.url).port)
    const head = `GET ${world.question.path} HTTP/1.1\r\nHost: forum\r\nConnection: keep-alive\r\n\r\n`
    const before = await connectionsOf(world.forum.pid)
    const { result, claims } = await asUsualDuring(context, world, async () => {
      for (let number = 0; number < IDLE_CONNECTIONS_MS; number += 1)
        (await idle.connect(port, head)).resume()
      await sleep(3000)
      return (await connectionsOf(world.forum.pid)) - before
    })
    return [atLeast('connections open at once', result, IDLE_CONNECTIONS_MS - 10), ...claims]
  },
}
