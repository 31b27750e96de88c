import type { FastifyInstance } from 'fastify'
import { isExpected } from '../problems.ts'
import { startForum } from './forum.ts'
import { voiceFor } from './say.ts'

/**
 * The forum's process: starts it, and stops it at a signal.
 * @param extend adds routes that aren't part of the forum
 */
export async function runForum(extend?: (app: FastifyInstance) => void): Promise<void> {
  const voice = voiceFor(process.env)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  // SIGHUP: the terminal was closed. Each signal may come twice, from the terminal and forwarded by npm: the second one must
  // not end the process while the database is still stopping.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)

  try {
    const forum = await startForum(process.env, stopping.signal, voice.say, extend)
    // Started on the way down: nothing was promised to anybody yet.
    if (!stopping.signal.aborted)
      await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve))
    await forum.stop()
  } catch (error) {
    if (!stopping.signal.aborted) {
      const message = error instanceof Error ? error.message : String(error)
      voice.fail(message, !isExpected(error) && error instanceof Error ? error.stack : undefined)
      process.exitCode = 1
    }
  }
}
