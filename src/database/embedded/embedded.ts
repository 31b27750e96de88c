import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { prepareBinaries } from './binaries.ts'
import { checkCluster, createCluster } from './cluster.ts'
import { EmbeddedError, explain } from './error.ts'
import { boundLog } from './log.ts'
import { noteOwner, STATE_DIR } from './owners.ts'
import { keepPasswords } from './password.ts'
import { locateCluster, openDataDir } from './place.ts'
import { isServing, readPostmasterFile, stopServer } from './postmaster.ts'
import { ensureServer, type Site } from './server.ts'
import { withStartLock } from './start-lock.ts'
import { chooseServerUser } from './user.ts'

export { EmbeddedError }

export interface EmbeddedOptions {
  /** holds everything: cluster, passwords, log */
  dataDir: string
  /** 'app': only one at a time per folder; 'command': an operator's command, beside the app or alone */
  role: 'app' | 'command'
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

/** A running PostgreSQL of our own. */
export interface EmbeddedDatabase {
  /** postgres://handup:…@127.0.0.1:port/handup: loopback only, without a Unix socket */
  url: string
  /** this start created the forum's database */
  isNew: boolean
  /** lines worth showing to the operator, such as the data's real path */
  notes: string[]
  /** Releases the server, and resolves when it is down unless another process uses it. Idempotent. */
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL of a data folder, or joins the one that is already running.
 * @throws EmbeddedError with one line for the operator; the signal's reason when that was aborted
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { signal = new AbortController().signal, onProgress = () => {} } = options
  try {
    signal.throwIfAborted()
    if (process.platform === 'win32') throw new EmbeddedError(NO_WINDOWS)
    const dataDir = await openDataDir(options.dataDir)
    return await withStartLock(dataDir, signal, onProgress, () => start(dataDir, options, signal, onProgress))
  } catch (error) {
    signal.throwIfAborted()
    throw explain(error, options.dataDir)
  }
}

const NO_WINDOWS =
  'The embedded PostgreSQL runs on Linux and macOS: on Windows set DATABASE_URL to a PostgreSQL, or use WSL'

/** Prepares what a server needs (user, binaries, passwords, cluster), then starts or joins it. */
async function start(
  dataDir: string,
  { role, settings = {}, native, stateDir = STATE_DIR }: EmbeddedOptions,
  signal: AbortSignal,
  progress: (line: string) => void,
): Promise<EmbeddedDatabase> {
  const notes: string[] = []
  const place = await locateCluster(dataDir)
  const user = await chooseServerUser(place.exists ? place.cluster : null, notes)
  const binaries = await prepareBinaries(user, stateDir, notes, native)
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

  const site: Site = { dataDir, cluster, user, binaries, settings, progress }
  const guest = { role, password: passwords.superuser }
  const seat = await takeSeat(site, guest, null, signal)
  const stop = keepSeat(site, guest, seat)
  try {
    const isNew = await prepareDatabase(seat.client, passwords.forum)
    signal.throwIfAborted()
    return { url: `postgres://handup:${passwords.forum}@127.0.0.1:${seat.port}/handup`, isNew, notes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Who uses the server, and the superuser's password. */
interface Guest {
  role: EmbeddedOptions['role']
  password: string
}

type Seat = Awaited<ReturnType<typeof takeSeat>>

/**
 * Starts or joins the server, and registers as its user. Requires the start lock.
 * @param preferredPort the port to reuse after a crash; null for any free one
 * @throws EmbeddedError when an app runs on this folder already, or the server is unavailable
 */
async function takeSeat(site: Site, guest: Guest, preferredPort: number | null, signal: AbortSignal) {
  let begunPid: number | null = null
  try {
    for (const until = Date.now() + 60_000; Date.now() < until; ) {
      const server = await ensureServer(site, preferredPort, signal)
      if (server.begun) begunPid = server.pid
      const client = await joinServer(server.port, guest)
      if (client) {
        if (guest.role === 'app') await refuseSecondApp(site, guest, client)
        return { client, port: server.port }
      }
      await sleep(100, undefined, { signal })
    }
    throw new EmbeddedError(`PostgreSQL accepts no connections: see ${site.dataDir}/postgres.log`)
  } catch (error) {
    if (begunPid) await stopServer(begunPid)
    throw error
  }
}

/** An advisory lock of the database "postgres": shared by all users of the server, taken alone by who stops it. */
const USERS = '(1751215716, 1)' // "hand"

/**
 * Connects as the superuser and registers as a user: while the session lives, no other process stops the server.
 * @returns null to retry: the server is starting, or its last user is stopping it
 * @throws EmbeddedError when the password is refused
 */
async function joinServer(port: number, { role, password }: Guest): Promise<pg.Client | null> {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' },
    application_name: `handup ${role} ${process.pid}`,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  })
  client.on('error', () => {}) // a lost session is noticed by its 'end'
  try {
    await client.connect()
    const { rows } = await client.query<{ got: boolean }>(`select pg_try_advisory_lock_shared${USERS} as got`)
    if (rows[0]?.got) return client
  } catch (cause) {
    if ((cause as pg.DatabaseError).code?.startsWith('28')) throw new EmbeddedError(WRONG_PASSWORD, { cause })
  }
  await client.end().catch(() => {})
  return null
}

const WRONG_PASSWORD =
  'The embedded PostgreSQL refuses the password in postgres-password: put back the file that belongs to it'

/** The start lock lets apps in one after the other, so the second always sees the first one's session. */
async function refuseSecondApp(site: Site, guest: Guest, client: pg.Client): Promise<void> {
  const other = `select split_part(application_name, ' ', 3) as pid from pg_stat_activity
                  where application_name like 'handup app %' and pid <> pg_backend_pid()`
  let pid: string | undefined
  // An app that is exiting, or was just killed, needs a moment to disappear.
  for (let attempt = 0; attempt < 10; attempt++) {
    pid = (await client.query<{ pid: string }>(other)).rows[0]?.pid
    if (pid === undefined) return
    await sleep(100)
  }
  await leaveSeat(site, guest, client)
  throw new EmbeddedError(
    `Handup already runs on ${site.dataDir} (process ${pid}): stop it first, or set DATA_DIR to another folder`,
  )
}

/**
 * Holds the seat: when its session ends (server killed, connection terminated by an administrator), it takes a new one
 * and restarts the server on the same port, so that the forum's pool can reconnect. Also limits the size of the
 * server's log.
 * @returns leaves the seat, which stops the server unless another process uses it; all calls await the same end
 */
function keepSeat(site: Site, guest: Guest, first: Seat): () => Promise<void> {
  const ending = new AbortController()
  let client: pg.Client | null = null
  let returning = Promise.resolve()
  let stopped: Promise<void> | null = null

  const sit = (seat: Seat) => {
    client = seat.client.once('end', () => {
      client = null
      if (!ending.signal.aborted) returning = comeBack()
    })
  }
  const comeBack = async () => {
    site.progress('The connection to PostgreSQL ended: making sure that it runs')
    const takeAgain = () => takeSeat(site, guest, first.port, ending.signal)
    for (let told = ''; !ending.signal.aborted; ) {
      try {
        sit(await withStartLock(site.dataDir, ending.signal, site.progress, takeAgain))
        return site.progress('PostgreSQL runs again')
      } catch (error) {
        const { message } = error as Error
        if (!ending.signal.aborted && message !== told) site.progress(message)
        told = message
        await sleep(1000, undefined, { signal: ending.signal }).catch(() => {})
      }
    }
  }
  const end = async () => {
    ending.abort()
    clearInterval(logWatch)
    await returning
    await leaveSeat(site, guest, client)
  }

  const logWatch = setInterval(() => boundLog(site.dataDir).catch(() => {}), 30_000).unref()
  sit(first)
  return () => (stopped ??= end())
}

/**
 * Releases the seat; the last one stops the server and waits until it is down. Without a live session (null, or lost
 * meanwhile) a new one checks for other users of the server.
 */
async function leaveSeat(site: Site, guest: Guest, seat: pg.Client | null): Promise<void> {
  const alone = `select pg_advisory_unlock_shared${USERS}, pg_try_advisory_lock${USERS} as alone`
  let client = seat
  for (const until = Date.now() + 5000; ; await sleep(100)) {
    const file = await readPostmasterFile(site.cluster)
    if (!file || !(await isServing(file, site.cluster))) return
    client ??= await joinServer(file.port, guest)
    const isLast = (await client?.query<{ alone: boolean }>(alone).catch(() => null))?.rows[0]?.alone
    // Where nobody can connect, nobody uses it. Nobody can join between the lock and the stop, either.
    if (isLast || (isLast === undefined && Date.now() > until)) await stopServer(file.pid)
    await client?.end().catch(() => {})
    if (isLast !== undefined) return
    client = null
  }
}

/**
 * Creates the forum's role and database if they are missing. The role is no superuser, so an injected statement cannot
 * read files or run programs. It may create databases (for tests and restores).
 * @param password of the role; letters, digits, `-` and `_` only
 * @returns true when the database was created now
 */
async function prepareDatabase(client: pg.Client, password: string): Promise<boolean> {
  const { rows } = await client.query<{ has_role: boolean; has_database: boolean }>(
    `select exists (select from pg_roles where rolname = 'handup') as has_role,
            exists (select from pg_database where datname = 'handup') as has_database`,
  )
  if (!rows[0]?.has_role) {
    await client.query(`set log_min_error_statement = 'panic'`) // the statement must not reach the log
    await client.query(`create role handup login createdb password '${password}'`)
    await client.query('reset log_min_error_statement')
  }
  if (rows[0]?.has_database) return false
  await client.query('create database handup owner handup')
  return true
}
