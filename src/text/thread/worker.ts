import { parentPort } from 'node:worker_threads'
import type { Answer, Piece } from './thread.ts'

// In the thread: what a piece of work needs is loaded with the first of its kind.
parentPort?.on('message', async ({ module, name, given }: Piece) => {
  const answer: Answer = await import(module)
    .then((loaded: Record<string, (given: unknown) => unknown>) => loaded[name]?.(given))
    .then(
      (made) => ({ made }),
      (error: unknown) => ({ failed: error instanceof Error ? error.message : String(error) }),
    )
  parentPort?.postMessage(answer)
})
