import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import { StartError } from '../problems.ts'
import type { Running } from '../running.ts'

/** A worker's first message: it serves, or the reason why it cannot in one line. */
export type WorkerMessage = { readonly isReady: true } | { readonly problem: string }

/** How long a worker may take to stop after draining before it is killed. */
const STOP_TIMEOUT_MS = 12_000
/** Delay before a dead worker is replaced. */
const RESTART_DELAY_MS = 1000

/**
 * Serves from several processes behind one port. This process serves nothing itself: it starts the workers and replaces
 * those that die.
 * @param config number of workers, and how long each drains on a stop
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
  const crew = new Crew(variables, drainSeconds * 1000 + STOP_TIMEOUT_MS, say)
  const stop = () => void crew.stop()
  signal.addEventListener('abort', stop)
  try {
    await Promise.all(Array.from({ length: count }, () => crew.start()))
  } catch (error) {
    await crew.stop()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
  return crew
}

class Crew implements Running {
  private readonly variables: Readonly<Record<string, string | undefined>>
  private readonly stopTimeoutMs: number
  private readonly say: (line: string) => void
  private readonly workers = new Set<Worker>()
  private isStopping = false

  constructor(
    variables: Readonly<Record<string, string | undefined>>,
    stopTimeoutMs: number,
    say: (line: string) => void,
  ) {
    this.variables = variables
    this.stopTimeoutMs = stopTimeoutMs
    this.say = say
  }

  /** Resolves when the worker serves. */
  async start(): Promise<void> {
    const worker = cluster.fork(this.variables)
    this.workers.add(worker)
    // The worker died while it got a connection: `exit` handles that.
    worker.on('error', () => undefined)
    worker.once('exit', () => this.workers.delete(worker))
    const message = await messageOf(worker)
    if ('problem' in message) throw new StartError(message.problem)
    worker.once('exit', (code, signal) => void this.replace(worker, signal || code))
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await Promise.all([...this.workers].map((worker) => stopWorker(worker, this.stopTimeoutMs)))
  }

  /** A replacement that cannot start, e.g. while the database is unavailable, is retried until it can. */
  private async replace(worker: Worker, reason: number | string): Promise<void> {
    if (this.isStopping) return
    this.say(`worker ${worker.process.pid} ended (${reason}): another one takes its place`)
    while (!this.isStopping) {
      await sleep(RESTART_DELAY_MS, undefined, { ref: false })
      try {
        if (!this.isStopping) return await this.start()
      } catch (error) {
        this.say(`a worker cannot start yet: ${error instanceof Error ? error.message : error}`)
      }
    }
  }
}

/** Resolves with the worker's start message; messages with metrics may precede it. */
function messageOf(worker: Worker): Promise<WorkerMessage> {
  return new Promise((resolve) => {
    worker.on('message', (answer) => {
      if (isMessage(answer)) resolve(answer)
    })
    worker.once('exit', () => resolve({ problem: 'a worker ended before it could serve' }))
  })
}

function isMessage(answer: unknown): answer is WorkerMessage {
  return typeof answer === 'object' && answer !== null && ('isReady' in answer || 'problem' in answer)
}

async function stopWorker(worker: Worker, timeoutMs: number): Promise<void> {
  if (worker.isDead()) return
  const ended = once(worker, 'exit')
  const timeout = setTimeout(() => worker.process.kill('SIGKILL'), timeoutMs)
  worker.process.kill('SIGTERM')
  await ended
  clearTimeout(timeout)
}
