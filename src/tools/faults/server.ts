import { connect } from '../../database/connection.ts'
import { prepareSite } from '../../database/embedded/cluster.ts'
import { startEmbedded } from '../../database/embedded/embedded.ts'
import { enterServer, readPostmasterFile, stopServer } from '../../database/embedded/postmaster.ts'
import { migrate } from '../../database/migrate.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import type { MadeDatabase } from './fault.ts'

/** A PostgreSQL for one fault, without automatic restart. */
export interface OwnServer extends MadeDatabase {
  /**
   * On the same port as before.
   * @returns when it accepts connections
   */
  start(): Promise<void>
  /** A clean shutdown by the operator: closes open connections. */
  stop(): Promise<void>
  /** Kills its main process; the others exit by themselves. */
  kill(): Promise<void>
}

export interface ServerOptions {
  /** Environment and program, if not the usual ones. */
  readonly native?: string
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a server in a folder, with a migrated, empty database. */
export async function startServer(
  end: Ending,
  dataDir: string,
  options: ServerOptions = {},
): Promise<OwnServer> {
  const { signal } = new AbortController()
  const native = options.native === undefined ? {} : { native: options.native }
  const embedded = { dataDir, role: 'command' as const, settings: { ...options.settings }, ...native }
  const made = await startEmbedded(embedded)
  await made.stop()
  const site = { ...(await prepareSite(embedded, signal)), port: Number(new URL(made.url).port) }
  const start = async () => {
    await enterServer(site, signal, async () => true)
  }
  const signalTo = async (send: (pid: number) => Promise<void>) => {
    const file = await readPostmasterFile(site.cluster)
    if (file !== null) await send(file.pid)
  }
  const stop = () => signalTo(stopServer)
  atEnd(end, stop)
  await start()
  const db = connect(made.url)
  atEnd(end, () => db.destroy())
  await migrate(db)
  return {
    db,
    url: made.url,
    start,
    stop,
    kill: () => signalTo(async (pid) => void process.kill(pid, 'SIGKILL')),
  }
}
