import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { startProxy, type TcpProxy, throughProxy } from '../../testing/tcp-proxy.ts'
import type { SignedIn } from '../bench/speed/people.ts'
import { startForum } from '../bench/speed/processes.ts'
import { getPage, sendForm } from './client.ts'
import { atLeast, atMost, type Claim, type Fault, type FaultContext, none } from './fault.ts'
import { newText } from './traffic.ts'
import { aWorld, type World } from './world.ts'

/** Milliseconds of observation per kind of failure, and between two writes. */
const WATCHED_MS = 4000
const WRITE_INTERVAL_MS = 150

export const deafInstance: Fault = {
  name: 'deaf-instance',
  fault: 'cut LISTEN connection, two instances',
  done: `answers posted in one process every ${WRITE_INTERVAL_MS} ms, their page asked for in another all the time, whose connection for notifications is cut by an administrator, cut by the network, and frozen without notice, each for ${WATCHED_MS / 1000} s`,
  wanted: 'a changed page is never served stale for more than 2 s',
  isQuick: false,
  run: deafen,
}

const isListening = (opening: string) => opening.includes('handup changes')

async function deafen(context: FaultContext): Promise<Claim[]> {
  const world = await aWorld(context)
  const { db, url } = world
  const target = new URL(url)
  const proxy = await startProxy(context.end, { host: target.hostname, port: Number(target.port) })
  const deaf = await startForum(context.end, throughProxy(url, proxy))
  const ways: readonly (readonly [string, () => Promise<void>])[] = [
    ['hearing all', async () => undefined],
    ['cut by an administrator again and again', () => cutByAdministrator(db)],
    ['cut by the network again and again', () => cutByNetwork(proxy)],
    ['frozen', () => freeze(proxy)],
  ]
  const claims: Claim[] = []
  for (const [name, way] of ways) {
    const done = way()
    const { stalest, reads, failures } = await watchStaleness(world, deaf.url)
    await done
    claims.push(
      atMost(`${name}: the stalest page`, stalest, 2000, 'ms'),
      atLeast(`${name}: pages asked for`, reads, 50),
      none(`${name}: pages that were not served`, failures),
    )
  }
  return claims
}

async function cutByAdministrator(db: Database): Promise<void> {
  for (const end = performance.now() + WATCHED_MS; performance.now() < end; await sleep(700)) {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'handup changes'`.execute(db)
  }
}

async function cutByNetwork(proxy: TcpProxy): Promise<void> {
  for (const end = performance.now() + WATCHED_MS; performance.now() < end; await sleep(700))
    proxy.cut(isListening)
}

async function freeze(proxy: TcpProxy): Promise<void> {
  proxy.freeze(isListening)
  await sleep(WATCHED_MS)
  proxy.thaw()
}

/**
 * Writes here and reads there.
 * @returns milliseconds from an answer's acknowledgement to the last page without it
 */
async function watchStaleness({ forum, people, question }: World, elsewhere: string) {
  const acknowledged = new Map<string, number>()
  const failures: string[] = []
  let [stalest, reads, isStopping] = [0, 0, false]
  const read = async () => {
    while (!isStopping) {
      const begun = performance.now()
      const page = await getPage(elsewhere, question.path).catch((error: unknown) => ({
        status: String(error),
        body: '',
      }))
      const { status, body } = page
      reads += 1
      if (status !== 200) failures.push(String(status))
      for (const [text, at] of acknowledged)
        if (status === 200 && at < begun && !body.includes(`${text}<`))
          stalest = Math.max(stalest, begun - at)
      await sleep(5)
    }
  }
  const reading = read()
  const write = async () => {
    for (
      const end = performance.now() + WATCHED_MS;
      performance.now() < end;
      await sleep(WRITE_INTERVAL_MS)
    ) {
      const text = newText()
      await insertAnswer(forum.url, people, question.id, text)
      acknowledged.set(text, performance.now())
    }
  }
  await write().finally(async () => {
    isStopping = true
    await reading
  })
  return { stalest, reads, failures }
}

async function insertAnswer(url: string, people: readonly SignedIn[], id: number, body: string) {
  const [person] = people
  if (person === undefined) throw new Error('nobody is there')
  const { status } = await sendForm(url, person, `/questions/${id}/answers`, { body })
  if (status !== 303) throw new Error(`an answer was answered with ${status}`)
}
