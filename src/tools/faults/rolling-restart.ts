import { setTimeout as sleep } from 'node:timers/promises'
import { startForum } from '../bench/speed/processes.ts'
import { startBalancer } from './balancer.ts'
import { atLeast, type Claim, type Fault, type FaultContext, none } from './fault.ts'
import { nothingLost } from './kept.ts'
import { isServed, startTraffic } from './traffic.ts'
import { aWorld } from './world.ts'

const RESTARTS = 4
const DRAINING = { DRAIN_SECONDS: '1' }

export const rollingRestart: Fault = {
  name: 'rolling-restart',
  fault: 'rolling restart of two instances',
  done: `8 readers and 4 writers through a proxy that keeps its connections and tries the other one for reads, and for posts that no instance accepted; the instances restarted in turn with DRAIN_SECONDS=1, ${RESTARTS} restarts`,
  wanted: 'zero failed requests, posts included',
  isQuick: false,
  run: restartInTurn,
}

async function restartInTurn(context: FaultContext): Promise<Claim[]> {
  const { end } = context
  const { db, url, forum, people, question } = await aWorld(context, { variables: DRAINING })
  const instances = [forum, await startForum(end, url, DRAINING)]
  const balancer = await startBalancer(
    end,
    instances.map((instance) => instance.url),
  )
  const traffic = startTraffic(end, balancer, people, question, { readers: 8, writers: 4, pause: 10 })
  const codes: (number | null)[] = []
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const place = restart % instances.length
    const instance = instances[place]
    if (instance === undefined) throw new Error('no instance')
    instance.kill('SIGTERM')
    codes.push((await instance.ended).code)
    await sleep(200)
    instances[place] = await startForum(end, url, { ...DRAINING, PORT: new URL(instance.url).port })
  }
  await sleep(500)
  const sent = await traffic.stop()
  const failed = sent.filter((one) => !isServed(one))
  return [
    atLeast('requests, in all', sent.length, 100),
    none(
      'requests that failed',
      failed.map(({ kind, status, failure }) => `${kind} ${failure ?? status}`),
      sent.length,
    ),
    none('instances that did not end with 0', codes.filter((code) => code !== 0).map(String), RESTARTS),
    ...(await nothingLost(db, sent)),
  ]
}
