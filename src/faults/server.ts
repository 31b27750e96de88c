import { connect } from '../database/connection.ts'
import { startEmbedded } from '../database/embedded.ts'
import { prepareBinaries } from '../database/embedded-binaries.ts'
import { readPostmasterFile, stopServer } from '../database/embedded-postmaster.ts'
import { ensureServer, type Site } from '../database/embedded-server.ts'
import { chooseServerUser } from '../database/embedded-user.ts'
import { migrate } from '../database/migrate.ts'
import { atEnd, type Ending } from '../testing/at-end.ts'
import type { MadeDatabase } from './fault.ts'

/** A PostgreSQL of a fault's own, which nobody starts again by himself. */
export interface OwnServer extends MadeDatabase {
  /** On the same port as before. @returns when it takes connections */
  start(): Promise<void>
  /** Cleanly, as an operator does: open connections are ended. */
  stop(): Promise<void>
  /** Ends its first process at once; the others follow by themselves. */
  kill(): Promise<void>
}

export interface ServerWishes {
  /** Environment and program, if not the usual ones. */
  readonly native?: string
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts one in a folder, with a migrated, empty database. */
export async function startServer(
  end: Ending,
  dataDir: string,
  wishes: ServerWishes = {},
): Promise<OwnServer> {
  const native = wishes.native === undefined ? {} : { native: wishes.native }
  const made = await startEmbedded({ dataDir, role: 'command', settings: { ...wishes.settings }, ...native })
  await made.stop()
  const cluster = `${dataDir}/postgres`
  const user = await chooseServerUser(cluster, [])
  const site: Site = {
    dataDir,
    cluster,
    user,
    binaries: await prepareBinaries(user, '/var/lib/handup', [], wishes.native),
    settings: { ...wishes.settings },
    progress: () => undefined,
  }
  const port = Number(new URL(made.url).port)
  const start = async () => {
    await ensureServer(site, port, new AbortController().signal)
  }
  const signalTo = async (send: (pid: number) => Promise<void>) => {
    const file = await readPostmasterFile(cluster)
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
