import { readConfig } from '../../config.ts'
import { connect } from '../../database/connection.ts'
import { readKeys } from '../../secrets/keys.ts'
import { StartError } from '../problems.ts'
import { voiceFor } from './say.ts'
import { serve } from './serve.ts'
import type { WorkerMessage } from './workers.ts'

/** One of several processes that serve the forum: workers.ts starts it once the database is ready. */
const stopping = new AbortController()
const stop = () => stopping.abort()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
// The parent process is gone: nobody could stop this one.
process.once('disconnect', stop)

const config = readConfig(process.env)
if (config.databaseUrl === null || config.secret === null) throw new Error('workers are started by the forum')
const db = connect(config.databaseUrl)
try {
  const serving = await serve(config, db, config.databaseUrl, readKeys(config.secret), stopping.signal)
  tell({ problem: null })
  if (!stopping.signal.aborted)
    await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve))
  await serving.stop()
} catch (error) {
  if (!stopping.signal.aborted) {
    if (error instanceof StartError) tell({ problem: error.message })
    else voiceFor(process.env).fail(String(error), error instanceof Error ? error.stack : undefined)
    process.exitCode = 1
  }
} finally {
  await db.destroy()
  if (process.connected) process.disconnect()
}

function tell(message: WorkerMessage): void {
  process.send?.(message)
}
