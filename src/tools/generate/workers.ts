import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Chunk } from './chunk.ts'
import { CHUNK_SIZE, type Plan } from './plan.ts'

/** More workers would only fill the memory: the database takes in what two generate. */
const MAX_WORKERS = 3

/** A chunk and its number of questions. */
export interface MadeChunk {
  readonly chunk: Chunk
  readonly questions: number
}

/** All chunks of a plan in order. Each worker generates one ahead. */
export async function* makeChunks(plan: Plan): AsyncGenerator<MadeChunk> {
  const count = Math.ceil(plan.questions / CHUNK_SIZE)
  const workers = Array.from(
    { length: Math.min(MAX_WORKERS, availableParallelism(), count) },
    () => new Worker(new URL('./worker.ts', import.meta.url), { workerData: plan }),
  )
  const ask = (worker: Worker, index: number) => {
    const from = index * CHUNK_SIZE
    const questions = Math.min(CHUNK_SIZE, plan.questions - from)
    worker.postMessage({ from, to: from + questions })
    const chunk = once(worker, 'message').then(([made]) => ({ chunk: made as Chunk, questions }))
    // Awaited in its turn; until then its failure must not be an unhandled rejection.
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
