import { dirname } from 'node:path'
import { prepareBinaries } from './binaries.ts'
import { checkCluster, createCluster } from './cluster.ts'
import { prepareDatabase } from './database.ts'
import { EmbeddedError, explain } from './error.ts'
import { keepSeat } from './keeper.ts'
import { boundLog } from './log.ts'
import { noteOwner, STATE_DIR } from './owners.ts'
import { keepPasswords, type Passwords } from './password.ts'
import { locateCluster, openDataDir } from './place.ts'
import { takeSeat } from './seat.ts'
import type { Site } from './server.ts'
import type { Role } from './session.ts'
import { withStartLock } from './start-lock.ts'
import { chooseServerUser } from './user.ts'

export { EmbeddedError }

/** A running PostgreSQL of our own. */
export interface EmbeddedDatabase {
  /** postgres://handup:…@127.0.0.1:port/handup */
  url: string
  /** this start created the forum's database */
  isNew: boolean
  /** loopback only; there is no Unix socket */
  socketless: true
  /** lines worth showing to the operator, such as the data's real path */
  notes: string[]
  /** Releases the server, and resolves when it is down unless another process uses it. Idempotent. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** holds everything: cluster, passwords, log */
  dataDir: string
  /** 'app': only one at a time per folder; 'command': an operator's command, beside the app or alone */
  role: Role
  /** cancels the start: it is undone, then the signal's reason is thrown */
  signal?: AbortSignal
  /** progress, one line per call; also when the server had to be restarted later */
  onProgress?: (line: string) => void
  /** PostgreSQL settings, such as { fsync: 'off' } in tests */
  settings?: Record<string, string>
  /** PostgreSQL's folder with bin, lib and share; by default the npm package's */
  native?: string
  /** root's folder for what the server's user could not reach otherwise */
  stateDir?: string
}

/**
 * Starts the PostgreSQL of a data folder, or joins the one that is already running.
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

/** Prepares everything a server needs to start: user, binaries, passwords, cluster. */
async function prepareSite(
  dataDir: string,
  options: EmbeddedOptions,
  notes: string[],
  signal: AbortSignal,
  progress: (line: string) => void,
): Promise<{ site: Site; passwords: Passwords }> {
  const { stateDir = STATE_DIR, settings = {} } = options
  const place = await locateCluster(dataDir)
  const user = await chooseServerUser(place.exists ? place.cluster : null, notes)
  const binaries = await prepareBinaries(user, stateDir, notes, options.native)
  const passwords = await keepPasswords(dataDir, place.exists)
  let { cluster } = place
  if (place.exists) {
    await checkCluster(cluster, user, binaries)
  } else {
    progress('Creating the database cluster (first start only)')
    const plan = { place, user, binaries, stateDir, signal, sync: settings.fsync !== 'off' }
    cluster = await createCluster({ ...plan, password: passwords.superuser })
  }
  // Only root's clusters are elsewhere by themselves; an operator's own link may lead anywhere.
  if (user !== null && dirname(cluster) === stateDir) await noteOwner(cluster, dataDir)
  if (cluster !== `${dataDir}/postgres`)
    notes.push(`The database is in ${cluster}; ${dataDir}/postgres links to it`)
  await boundLog(dataDir)
  return { site: { dataDir, cluster, user, binaries, settings, progress }, passwords }
}
