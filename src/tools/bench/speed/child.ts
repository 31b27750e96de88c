import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { atEnd, type Ending } from '../../../testing/at-end.ts'
import type { Server } from './processes.ts'

/**
 * Starts a reference server in a child process, which ends with the benchmark.
 * @param name of its file in this folder, which calls `serveReference`
 * @param given its input
 */
export async function startChild(end: Ending, name: string, given: object): Promise<Server> {
  const child = fork(join(import.meta.dirname, name), {
    serialization: 'advanced',
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
  })
  const ended = once(child, 'exit')
  atEnd(end, async () => {
    child.kill()
    await ended
  })
  child.send(given)
  const failed = ended.then(() => {
    throw new Error(`${name} did not start`)
  })
  const [url] = await Promise.race([once(child, 'message'), failed])
  return { url: String(url), pid: child.pid ?? 0 }
}

/** The child's side: waits for the input, and reports its address. */
export function serveReference<Given>(start: (given: Given) => Promise<string>): void {
  process.once('message', async (given: Given) => process.send?.(await start(given)))
  process.once('disconnect', () => process.exit())
}
