import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import { StartError } from '../problems.ts'
import type { Running } from '../running.ts'

/** A worker's first message: the reason why it cannot serve in one line; null: it serves. */
export interface WorkerMessage {
  readonly problem: string | null
}

/** How long a worker may take to stop after draining before it is killed. */
const STOP_TIMEOUT_MS = 12_000
/** Delay before a dead worker is replaced. */
const RESTART_DELAY_MS = 1000

/**
 * Serves from several processes behind one port. This process serves nothing itself: it starts the workers and replaces
 * those that die.
 * @param variables environment of the workers
 * @param say prints a line for the operator
 * @param signal aborts the start
 * @throws StartError when the first workers cannot serve
 */
export async function startWorkers(
  { workers: count, drainSeconds }: Pick<Config, 'workers' | 'drainSeconds'>,
  variables: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<Running> {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.ts'), args: [] })
  const workers = new Set<Worker>()
  let isStopping = false
  /** Resolves when the worker serves. */
  const start = async () => {
    const worker = cluster.fork(variables)
    workers.add(worker)
    // The worker died while it got a connection: `exit` handles that.
    worker.on('error', () => undefined)
    worker.once('exit', () => workers.delete(worker))
    const problem = await problemOf(worker)
    if (problem !== null) throw new StartError(problem)
    worker.once('exit', (code, signal) => void replace(worker, signal || code))
  }
  /** A replacement that cannot start, e.g. while the database is unavailable, is retried until it can. */
  const replace = async (worker: Worker, reason: number | string) => {
    if (isStopping) return
    say(`worker ${worker.process.pid} ended (${reason}): another one takes its place`)
    while (!isStopping) {
      await sleep(RESTART_DELAY_MS, undefined, { ref: false })
      try {
        if (!isStopping) return await start()
      } catch (error) {
        say(`a worker cannot start yet: ${error instanceof Error ? error.message : error}`)
      }
    }
  }
  const stop = async () => {
    isStopping = true
    const timeout = drainSeconds * 1000 + STOP_TIMEOUT_MS
    await Promise.all([...workers].map((worker) => stopWorker(worker, timeout)))
  }
  const abort = () => void stop()
  signal.addEventListener('abort', abort)
  try {
    await Promise.all(Array.from({ length: count }, start))
  } catch (error) {
    await stop()
    throw error
  } finally {
    signal.removeEventListener('abort', abort)
  }
  return { stop }
}

/** What the worker's start message says; messages with metrics may precede it. */
function problemOf(worker: Worker): Promise<string | null> {
  return new Promise((resolve) => {
    worker.on('message', (message: Partial<WorkerMessage> | null) => {
      if (message?.problem !== undefined) resolve(message.problem)
    })
    worker.once('exit', () => resolve('a worker ended before it could serve'))
  })
}

async function stopWorker(worker: Worker, timeoutMs: number): Promise<void> {
  if (worker.isDead()) return
  const ended = once(worker, 'exit')
  const timeout = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs)
  worker.process.kill('SIGTERM')
  await ended
  clearTimeout(timeout)
}
