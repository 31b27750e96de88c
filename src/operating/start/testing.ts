import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd, type Ending } from '../../testing/at-end.ts'

const ROOT = join(import.meta.dirname, '../../..')
const STOP_TIMEOUT_MS = 180_000

/** The forum in a child process, started like an operator does. */
export interface StartedForum {
  readonly url: string
  readonly pid: number
  /** Lines of both streams so far. */
  lines(): string[]
  /**
   * Resolves when it serves.
   * @throws Error with its output when it exited before that
   */
  ready(): Promise<void>
  /** Resolves with the first matching line of output. */
  line(pattern: RegExp): Promise<string>
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>
}

/** The command of `npm start` (package.json) with its flags. */
export const START = ['--max-semi-space-size=8', '--heap-growing-percent=60', join(ROOT, 'src/main.ts')]

/** The program and its arguments. */
type Program = readonly [string, ...string[]]

/**
 * Starts the forum with only these environment variables, on a free port unless PORT is set. It leads a process group
 * of its own, as on a terminal.
 * @param program starts the forum: the command of `npm start` by default
 */
export async function startInProcess(
  test: Ending,
  variables: Readonly<Record<string, string>>,
  [program, ...args]: Program = [process.execPath, ...START],
): Promise<StartedForum> {
  const port = variables.PORT ?? String(await freePort())
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    LOG_LEVEL: 'warn',
    TIME_ZONE: 'UTC',
    ...variables,
    PORT: port,
  }
  const child = spawn(program, args, { cwd: ROOT, env, detached: true })
  const parts: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => parts.push(text))
  }
  const lines = () => parts.join('').split('\n').filter(Boolean)
  const ended = new Promise<Awaited<StartedForum['ended']>>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  atEnd(test, async () => {
    if (!hasEnded(child) && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await ended
  })
  const url = `http://127.0.0.1:${port}`
  const until = async <Found>(what: string, find: () => Promise<Found | undefined> | Found | undefined) => {
    for (const end = Date.now() + STOP_TIMEOUT_MS; Date.now() < end && !hasEnded(child); await sleep(30)) {
      const found = await find()
      if (found !== undefined) return found
    }
    throw new Error(`${what} never came:\n${lines().join('\n')}`)
  }
  const line = (pattern: RegExp) => until(String(pattern), () => lines().find((one) => pattern.test(one)))
  const ready = async () => {
    await until('The service', async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok || undefined)
  }
  return { url, pid: child.pid ?? 0, lines, ready, line, kill: (signal) => void child.kill(signal), ended }
}

/** Asserts that a start fails with one line and no other output. */
export async function assertOneLine(forum: StartedForum, pattern: RegExp): Promise<void> {
  const { code } = await forum.ended
  assert.equal(code, 1, forum.lines().join('\n'))
  assert.equal(forum.lines().length, 1, forum.lines().join('\n'))
  assert.match(forum.lines()[0] ?? '', pattern)
}

/** Asserts that it ends with 0 when it is told to. */
export async function assertStops(forum: StartedForum): Promise<void> {
  forum.kill('SIGTERM')
  assert.deepEqual(await forum.ended, { code: 0, signal: null })
}

/** A port that is free at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
