import { prepareBinaries } from './embedded-binaries.ts'
import { checkCluster, createCluster } from './embedded-cluster.ts'
import { prepareDatabase } from './embedded-database.ts'
import { EmbeddedError, explain } from './embedded-error.ts'
import { keepSeat } from './embedded-keeper.ts'
import { boundLog } from './embedded-log.ts'
import { keepPasswords, type Passwords } from './embedded-password.ts'
import { findPlace, openDataDir } from './embedded-place.ts'
import { takeSeat } from './embedded-seat.ts'
import type { Site } from './embedded-server.ts'
import type { Role } from './embedded-session.ts'
import { withStartLock } from './embedded-start-lock.ts'
import { chooseServerUser } from './embedded-user.ts'

export { EmbeddedError }

/** A running PostgreSQL of our own. */
export interface EmbeddedDatabase {
  /** postgres://handup:…@127.0.0.1:port/handup */
  url: string
  /** the forum's database was made by this start */
  isNew: boolean
  /** reached over loopback only; there is no Unix socket */
  socketless: true
  /** lines worth telling a person, such as where the data really lies */
  notes: string[]
  /** Leaves the server, and stops it when nobody else uses it: then it is down when this resolves. Repeatable. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** holds everything: cluster, passwords, log */
  dataDir: string
  /** 'app': only one at a time per folder; 'command': an operator's command, beside it or alone */
  role: Role
  /** ends the start: what was begun is undone, then its reason is thrown */
  signal?: AbortSignal
  /** what is going on, a line each; after the start too, when the server had to be started again */
  onProgress?: (line: string) => void
  /** PostgreSQL settings, such as { fsync: 'off' } in tests */
  settings?: Record<string, string>
  /** PostgreSQL's folder with bin, lib and share; by default the npm package's */
  native?: string
  /** where root keeps what the server's user could not reach otherwise */
  stateDir?: string
}

/**
 * Starts the PostgreSQL of a data folder, or joins the one that runs on it already.
 * @throws EmbeddedError with one line for the operator; the signal's reason when that was aborted
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const signal = options.signal ?? new AbortController().signal
  const progress = options.onProgress ?? (() => {})
  try {
    signal.throwIfAborted()
    if (process.platform === 'win32') throw new EmbeddedError(noWindows)
    const dataDir = await openDataDir(options.dataDir)
    return await withStartLock(dataDir, signal, progress, () => start(dataDir, options, signal, progress))
  } catch (error) {
    signal.throwIfAborted()
    throw explain(error, options.dataDir)
  }
}

const noWindows =
  'The embedded PostgreSQL runs on Linux and macOS: on Windows set DATABASE_URL to a PostgreSQL, or use WSL'

async function start(
  dataDir: string,
  options: EmbeddedOptions,
  signal: AbortSignal,
  progress: (line: string) => void,
): Promise<EmbeddedDatabase> {
  const notes: string[] = []
  const { site, passwords } = await prepareSite(dataDir, options, notes, signal, progress)
  const guest = { role: options.role, password: passwords.superuser }
  const seat = await takeSeat(site, guest, null, signal)
  const keeper = keepSeat(site, guest, seat)
  try {
    const isNew = await prepareDatabase(seat.client, passwords.forum)
    signal.throwIfAborted()
    const url = `postgres://handup:${passwords.forum}@127.0.0.1:${seat.server.port}/handup`
    return { url, isNew, socketless: true, notes, stop: keeper.stop }
  } catch (error) {
    await keeper.stop()
    throw error
  }
}

/** Everything a server needs before it can start: user, binaries, passwords, cluster. */
async function prepareSite(
  dataDir: string,
  options: EmbeddedOptions,
  notes: string[],
  signal: AbortSignal,
  progress: (line: string) => void,
): Promise<{ site: Site; passwords: Passwords }> {
  const { stateDir = '/var/lib/handup', settings = {} } = options
  const place = await findPlace(dataDir)
  const user = await chooseServerUser(place.exists ? place.cluster : null, notes)
  const binaries = await prepareBinaries(user, stateDir, notes, options.native)
  const passwords = await keepPasswords(dataDir, place.exists)
  let { cluster } = place
  if (place.exists) {
    await checkCluster(cluster, user, binaries)
  } else {
    progress('Making the database cluster (first start only)')
    const plan = { place, user, binaries, stateDir, signal, sync: settings.fsync !== 'off' }
    cluster = await createCluster({ ...plan, password: passwords.superuser })
  }
  if (cluster !== `${dataDir}/postgres`)
    notes.push(`The database lies in ${cluster}; ${dataDir}/postgres links to it`)
  await boundLog(dataDir)
  return { site: { dataDir, cluster, user, binaries, settings, progress }, passwords }
}
