import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from './problems.ts'
import type { Running } from './stoppable.ts'

/** What a worker tells once: that it serves, or in one line why it cannot. */
export type WorkerMessage = { readonly isReady: true } | { readonly problem: string }

/** How long a worker may take to stop before it is ended, and how soon one that died has a successor, in milliseconds. */
const PATIENCE = 12_000
const PAUSE = 1000

/**
 * Serves from several processes behind one port. This process serves nothing: it starts the others, and another one for
 * each that dies.
 * @param variables environment of the workers
 * @param say prints a line for whoever started it
 * @throws StartError when the first ones cannot serve
 */
export async function startWorkers(
  count: number,
  variables: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<Running> {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'worker.ts'), args: [] })
  const crew = new Crew(variables, say)
  try {
    await Promise.all(Array.from({ length: count }, () => crew.start()))
  } catch (error) {
    await crew.stop()
    throw error
  }
  return crew
}

class Crew implements Running {
  private readonly variables: Readonly<Record<string, string | undefined>>
  private readonly say: (line: string) => void
  private readonly workers = new Set<Worker>()
  private isStopping = false

  constructor(variables: Readonly<Record<string, string | undefined>>, say: (line: string) => void) {
    this.variables = variables
    this.say = say
  }

  /** Resolves when the worker serves. */
  async start(): Promise<void> {
    const worker = cluster.fork(this.variables)
    this.workers.add(worker)
    // A connection handed to one that is just dying: `exit` tells of that.
    worker.on('error', () => undefined)
    worker.once('exit', () => this.workers.delete(worker))
    const message = await messageOf(worker)
    if ('problem' in message) throw new StartError(message.problem)
    worker.once('exit', (code, signal) => void this.replace(worker, signal || code))
  }

  async stop(): Promise<void> {
    this.isStopping = true
    await Promise.all([...this.workers].map(stopWorker))
  }

  /** A worker that cannot start now, as the database is away, is started again until it can. */
  private async replace(worker: Worker, reason: number | string): Promise<void> {
    if (this.isStopping) return
    this.say(`worker ${worker.process.pid} ended (${reason}): another one takes its place`)
    while (!this.isStopping) {
      await sleep(PAUSE, undefined, { ref: false })
      try {
        if (!this.isStopping) return await this.start()
      } catch (error) {
        this.say(`no worker yet: ${error instanceof Error ? error.message : error}`)
      }
    }
  }
}

/** What a worker tells; it may be asked for metrics, and answer, before that. */
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

async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const ended = once(worker, 'exit')
  const impatience = setTimeout(() => worker.process.kill('SIGKILL'), PATIENCE)
  worker.process.kill('SIGTERM')
  await ended
  clearTimeout(impatience)
}
