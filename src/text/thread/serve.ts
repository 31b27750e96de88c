import { parentPort } from 'node:worker_threads'
import type { Answer } from './thread.ts'

/** In a thread: does what the other side of it calls for, one piece after the other. */
export function serve<Given, Made>(work: (given: Given) => Made | Promise<Made>): void {
  parentPort?.on('message', async (given: Given) => {
    try {
      const made = await work(given)
      parentPort?.postMessage({ made } satisfies Answer)
    } catch (error) {
      parentPort?.postMessage({
        failed: error instanceof Error ? error.message : String(error),
      } satisfies Answer)
    }
  })
}
