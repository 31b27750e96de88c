import type { Config } from '../config.ts'
import { type ConnectionOptions, connect } from './connection.ts'
import { startEmbedded } from './embedded/embedded.ts'

interface OpenOptions extends ConnectionOptions {
  /** The forum itself, which may run once on an embedded database, or an operator's command beside it. */
  readonly role: 'app' | 'command'
  readonly signal?: AbortSignal
  readonly onProgress?: (line: string) => void
}

/** Opens DATABASE_URL, or starts (or joins) the embedded PostgreSQL in DATA_DIR. `notes`: lines worth telling the operator. */
export async function openDatabase(config: Config, options: OpenOptions) {
  if (config.databaseUrl !== null) {
    const db = connect(config.databaseUrl, options)
    return { db, url: config.databaseUrl, notes: [], close: () => db.destroy() }
  }
  const { role, signal, onProgress } = options
  const { url, notes, stop } = await startEmbedded({
    ...{ dataDir: config.dataDir, role },
    ...(signal !== undefined && { signal }),
    ...(onProgress !== undefined && { onProgress }),
  })
  const db = connect(url, options)
  return { db, url, notes, close: () => db.destroy().then(stop) }
}

export type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>
