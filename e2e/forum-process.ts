import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../src/database/connection.ts'
import { freePort, START } from '../src/operating/start/testing.ts'
import { SECRET } from '../src/testing/app.ts'
import { useTestServer } from '../src/testing/server.ts'
import { copyTemplate, dropDatabase, PATIENT, urlOf } from '../src/testing/template.ts'

const ROOT = join(import.meta.dirname, '..')
/** As `npm run dev`, with the flags of `npm start`. */
const DEV = START.with(-1, join(ROOT, 'src/tools/dev.ts'))
const TIMEOUT_MS = 120_000

/**
 * Starts the real forum, as an operator does, and the page of its components, on a free port and a database
 * of its own. Its log keeps to warnings and errors.
 * @param more variables beside those of all, for a forum at this address
 */
async function startForum(
  databaseUrl: string,
  more: (url: string) => Promise<Readonly<Record<string, string>>> = async () => ({}),
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'handup-forum-'))
  const port = await freePort()
  // By name: browsers have no passkeys for an IP address.
  const url = `http://localhost:${port}`
  const environment = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: url,
    DATABASE_URL: patient(databaseUrl),
    DATA_DIR: dataDir,
    SECRET,
    LOG_LEVEL: 'warn',
    TIME_ZONE: 'UTC',
    ...(await more(url)),
  }
  const child = spawn(process.execPath, DEV, {
    cwd: ROOT,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => lines.push(text))
  const log = () => lines.join('')
  await untilReady(child, `http://127.0.0.1:${port}`, log)
  const stop = async () => {
    await end(child)
    await rm(dataDir, { recursive: true, force: true })
  }
  return { url, log, stop }
}

/**
 * Starts the forum on a copy of a database.
 * @param templateOf the name of that database on a server
 */
export async function startOnCopy(
  templateOf: (serverUrl: string) => Promise<string>,
  more?: Parameters<typeof startForum>[1],
) {
  const server = await useTestServer()
  const name = await copyTemplate(server.url, await templateOf(server.url))
  const databaseUrl = urlOf(server.url, name)
  const db = connect(databaseUrl, PATIENT)
  const { url, log, stop: stopForum } = await startForum(databaseUrl, more)
  const stop = async () => {
    await stopForum()
    await db.destroy()
    await dropDatabase(server.url, name)
    await server.stop()
  }
  return { url, log, db, stop }
}

/**
 * With a minute for each statement: on a busy machine the forum would say that it is busy, and the test fail
 * by its luck.
 */
function patient(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('connect_timeout', '60')
  url.searchParams.set('statement_timeout', '60000')
  return url.href
}

async function untilReady(child: ChildProcess, url: string, log: () => string): Promise<void> {
  const until = Date.now() + TIMEOUT_MS
  while (Date.now() < until && child.exitCode === null) {
    const answer = await fetch(`${url}/readyz`).catch(() => null)
    if (answer?.ok) return
    await sleep(50)
  }
  await end(child)
  throw new Error(`The forum did not start:\n${log()}`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const hard = setTimeout(() => child.kill('SIGKILL'), 60_000)
  await exited
  clearTimeout(hard)
}
