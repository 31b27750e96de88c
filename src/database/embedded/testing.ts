import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { chmod, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { atEnd } from '../../testing/at-end.ts'
import { type EmbeddedDatabase, EmbeddedError, type EmbeddedOptions, startEmbedded } from './embedded.ts'
import { isServing, readPostmasterFile, stopServer } from './postmaster.ts'

export const isRoot = process.getuid?.() === 0

/** An unprivileged user that every system has. */
export const nobody = { uid: 65534, gid: 65534 }

/** A folder for one test, removed after it together with servers in it. Passable for other users, as in /srv. */
export async function aFolder(t: TestContext, mode = 0o711): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'handup-embedded-')))
  await chmod(folder, mode)
  atEnd(t, async () => {
    await stopServersIn(folder)
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

let usedFolder: Promise<string> | null = null

/** Like aFolder, with a cluster that ran before: one for all tests of a file, because initdb is slow. */
export async function theUsedFolder(t: TestContext): Promise<string> {
  usedFolder ??= makeUsedFolder()
  const folder = await usedFolder
  atEnd(t, () => stopServersIn(folder))
  return folder
}

async function makeUsedFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'handup-embedded-used-')))
  await chmod(folder, 0o711)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await (await startEmbedded(optionsFor(folder))).stop()
  return folder
}

/** Options for a start in the folder: fast settings, and nothing written outside it. */
export function optionsFor(folder: string, more: Partial<EmbeddedOptions> = {}): EmbeddedOptions {
  return {
    dataDir: join(folder, 'data'),
    stateDir: join(folder, 'state'),
    role: 'app',
    settings: { fsync: 'off', shared_buffers: '16MB' },
    ...more,
  }
}

/** Starts in this process and stops after the test. */
export async function aDatabase(t: TestContext, options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const database = await startEmbedded(options)
  atEnd(t, () => database.stop())
  return database
}

/** Asserts that the start fails with one line that contains all of this. */
export async function refuses(options: EmbeddedOptions, ...says: string[]): Promise<void> {
  await assert.rejects(startEmbedded(options), (error: Error) => {
    assert.ok(error instanceof EmbeddedError, String(error.stack))
    assert.ok(!error.message.includes('\n'))
    for (const words of says) assert.ok(error.message.includes(words), `${words} in: ${error.message}`)
    return true
  })
}

/** Runs one query on a connection of its own. */
export async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** The first line of output of a start in a child process. */
export interface Started {
  url: string
  isNew: boolean
  notes: string[]
}

/** A start in a child process. */
export interface StartedProcess {
  pid: number
  kill(signal: NodeJS.Signals): void
  /** rejects with the text on stderr when the process exits before it started */
  started: Promise<Started>
  ended: Promise<{ code: number | null; stderr: string }>
}

export function startInProcess(
  t: TestContext,
  options: EmbeddedOptions,
  how: { as?: { uid: number; gid: number }; through?: [string, ...string[]] } = {},
): StartedProcess {
  const script = fileURLToPath(new URL('test-process.ts', import.meta.url))
  const command = [process.execPath, script, JSON.stringify(options)] as const
  const [program, ...args] = how.through ? ([...how.through, ...command] as const) : command
  const child = spawn(program, args, { ...how.as, cwd: '/' })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text) => (stdout += text))
  child.stderr.on('data', (text) => (stderr += text))
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stderr }))
  })
  const started = new Promise<Started>((resolve, reject) => {
    child.stdout.on('data', () => stdout.includes('\n') && resolve(JSON.parse(stdout) as Started))
    child.on('close', () => reject(new Error(stderr)))
  })
  started.catch(() => {})
  atEnd(t, () => (child.kill('SIGKILL') ? ended : null))
  return { pid: child.pid ?? 0, kill: (signal) => child.kill(signal), started, ended }
}

async function stopServersIn(folder: string): Promise<void> {
  for (const cluster of await clustersIn(folder)) {
    const file = await readPostmasterFile(cluster)
    if (file && (await isServing(file, cluster))) await stopServer(file.pid)
  }
}

/** Every cluster below a folder, in the data folder or the state folder. */
async function clustersIn(folder: string): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true }).catch(() => [])
  return paths.filter((path) => path.endsWith('PG_VERSION')).map((path) => dirname(join(folder, path)))
}
