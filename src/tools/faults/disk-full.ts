import { appendFile, readFile, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../database/connection.ts'
import { readPostmasterFile } from '../../database/embedded/postmaster.ts'
import { startInProcess } from '../../operating/start/testing.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { runCommand } from '../../testing/command.ts'
import { valueIn } from '../../testing/page.ts'
import { temporaryFolder } from '../bench/speed/processes.ts'
import { type Answer, sendForm } from './client.ts'
import {
  atLeast,
  atMost,
  CannotRun,
  type Claim,
  equal,
  type Fault,
  type FaultContext,
  none,
} from './fault.ts'
import { countersHold } from './kept.ts'
import { newText } from './traffic.ts'
import { aWorldAt, type World } from './world.ts'

const DISK_MB = 256
const MEGABYTE = 2 ** 20
/** Free space after filling the disk: enough for some posts. */
const LEFT_BYTES = 2 * MEGABYTE
/** An incompressible body, so that it takes space. */
const BODY_LENGTH = 20_000

export const diskFull: Fault = {
  name: 'disk-full',
  fault: 'disk full while writing',
  done: `the forum with its embedded database on a disk of ${DISK_MB} MB (tmpfs) that something else fills; long answers posted until it refuses, and beyond; then the space is freed`,
  wanted: 'clear error; nothing half-written; works again when there is space',
  isQuick: false,
  run: fillDisk,
}

async function fillDisk(context: FaultContext): Promise<Claim[]> {
  const disk = await smallDisk(context.end)
  const world = await aForumOn(context, disk)
  const { db, forum } = world
  const posts = new Posts(world)
  await posts.send(20)
  const filling = join(disk, 'filling')
  await fill(filling)
  for (let round = 0; round < 40 && posts.refused.length < 20; round += 1) await posts.send(10)
  const full = posts.refused.length
  context.say(`${posts.acknowledged.length} posts taken, ${full} refused`)
  const alive = (await fetch(`${forum.url}/healthz`)).status
  const ready = (await fetch(`${forum.url}/readyz`)).status
  await rm(filling)
  const freed = performance.now()
  while (performance.now() - freed < 30_000 && !(await posts.isTaken())) await sleep(200)
  const back = (performance.now() - freed) / 1000
  await posts.send(5)
  const rows = await db.selectFrom('answers').select('body').execute()
  const bodies = new Map<string, number>()
  for (const { body } of rows) bodies.set(body, (bodies.get(body) ?? 0) + 1)
  return [
    atLeast('posts refused', full, 20),
    none('of these, without 503, Retry-After and the text that was typed', posts.unclear, full),
    equal('health page meanwhile', alive, 200),
    equal('readiness meanwhile', ready, 503),
    atMost('posts accepted again after there was space', back, 10, 's'),
    none(
      'acknowledged posts lost',
      posts.acknowledged.filter((text) => !bodies.has(text)),
      posts.acknowledged.length,
    ),
    none(
      'posts stored twice',
      [...bodies].filter(([, count]) => count > 1).map(([text]) => text.slice(0, 40)),
    ),
    await countersHold(db),
  ]
}

/** Writes until the disk is full, and frees a little. */
async function fill(path: string): Promise<void> {
  const piece = Buffer.alloc(MEGABYTE, 1)
  const isFull = () =>
    appendFile(path, piece).then(
      () => false,
      () => true,
    )
  while (!(await isFull()));
  await truncate(path, (await stat(path)).size - LEFT_BYTES)
}

/**
 * A separate disk in memory, unmounted at the end.
 * @throws CannotRun where mounting is not permitted
 */
async function smallDisk(end: Ending): Promise<string> {
  const folder = await temporaryFolder(end)
  const { code, output } = await runCommand('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${DISK_MB}m,mode=711`,
    'none',
    folder,
  ])
  if (code !== 0) throw new CannotRun(`a small disk cannot be mounted here: ${output.trim()}`)
  atEnd(end, async () => void (await runCommand('umount', [folder])))
  return folder
}

/** The forum starts its own database there, like a first start. */
async function aForumOn(context: FaultContext, disk: string): Promise<World> {
  const dataDir = join(disk, 'data')
  const forum = await startInProcess(context.end, { DATA_DIR: dataDir, SAMPLE: 'off', LOG_LEVEL: 'error' })
  await forum.ready()
  const [file, password] = await Promise.all([
    readPostmasterFile(join(dataDir, 'postgres')),
    readFile(join(dataDir, 'postgres-password'), 'utf8'),
  ])
  const url = `postgres://postgres:${password.trim()}@127.0.0.1:${file?.port}/handup`
  const db = connect(url)
  atEnd(context.end, async () => {
    forum.kill('SIGTERM')
    await forum.ended
  })
  atEnd(context.end, () => db.destroy())
  return aWorldAt({ db, url, forum }, 5)
}

/** Long answers and their outcomes. */
class Posts {
  readonly acknowledged: string[] = []
  readonly refused: string[] = []
  /** Refusals without the message that helps. */
  readonly unclear: string[] = []
  private readonly world: World

  constructor(world: World) {
    this.world = world
  }

  /** Number of concurrent requests. */
  async send(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.isTaken()))
  }

  async isTaken(): Promise<boolean> {
    const { forum, people, question } = this.world
    const [person] = people
    if (person === undefined) throw new Error('nobody is there')
    const text = `${newText()} ${randomText()}`
    const answer = await sendForm(forum.url, person, `/questions/${question.id}/answers`, { body: text })
    const isTaken = answer.status === 303
    if (isTaken) this.acknowledged.push(text)
    else this.refused.push(text)
    if (!isTaken && !isClear(answer, text)) this.unclear.push(`${answer.status} ${answer.body.slice(0, 60)}`)
    return isTaken
  }
}

function isClear({ status, headers, body }: Answer, text: string): boolean {
  return status === 503 && headers['retry-after'] !== undefined && valueIn(body, 'body') === text
}

function randomText(): string {
  return Array.from({ length: BODY_LENGTH / 10 }, () =>
    Math.random().toString(36).slice(2, 11).padEnd(9, 'x'),
  ).join(' ')
}
