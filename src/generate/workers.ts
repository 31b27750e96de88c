import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Chunk } from './chunk.ts'
import { CHUNK, type Plan } from './plan.ts'

/** More would only fill the memory: the database takes in what two make. */
const MOST_WORKERS = 3

/** A chunk and how many questions it has. */
export interface MadeChunk {
  readonly chunk: Chunk
  readonly questions: number
}

/** All chunks of a plan in their order. Each worker makes one while the one before is being used. */
export async function* makeChunks(plan: Plan): AsyncGenerator<MadeChunk> {
  const count = Math.ceil(plan.questions / CHUNK)
  const workers = Array.from(
    { length: Math.min(MOST_WORKERS, availableParallelism(), count) },
    () => new Worker(new URL('./worker.ts', import.meta.url), { workerData: plan }),
  )
  const ask = (worker: Worker, index: number) => {
    const from = index * CHUNK
    const questions = Math.min(CHUNK, plan.questions - from)
    worker.postMessage({ from, to: from + questions })
    const chunk = once(worker, 'message').then(([made]) => ({ chunk: made as Chunk, questions }))
    // Waited for in its turn; until then a failure must not count as nobody's.
    chunk.catch(() => undefined)
    return chunk
  }
  try {
    const waiting = workers.map(ask)
    for (let index = 0; index < count; index += 1) {
      const made = await waiting[index % workers.length]
      const worker = workers[index % workers.length]
      const next = index + workers.length
      if (worker !== undefined && next < count) waiting[index % workers.length] = ask(worker, next)
      if (made !== undefined) yield made
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}
