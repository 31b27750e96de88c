import { stderr } from 'node:process'
import { ConfigError } from './config.ts'
import { EmbeddedError } from './database/embedded.ts'
import { startForum } from './start/forum.ts'
import { StartError } from './start/problems.ts'

const stopping = new AbortController()
const stop = () => stopping.abort()
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
// Whose terminal is closed: the database must not stay behind.
process.once('SIGHUP', stop)

try {
  const forum = await startForum(process.env, stopping.signal, (line) => console.log(line))
  // Started on the way down: nothing was promised to anybody yet.
  if (!stopping.signal.aborted)
    await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve))
  await forum.stop()
} catch (error) {
  if (!stopping.signal.aborted) {
    const isExpected =
      error instanceof ConfigError || error instanceof EmbeddedError || error instanceof StartError
    stderr.write(
      isExpected ? `handup: ${error.message}\n` : `handup: ${error instanceof Error ? error.stack : error}\n`,
    )
    process.exitCode = 1
  }
}
