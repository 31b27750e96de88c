import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { prepareSite, type Site, type SiteOptions } from './cluster.ts'
import { EmbeddedError, explain, makeFolder } from './error.ts'
import { boundLog } from './log.ts'
import { noteOwner } from './owners.ts'
import { enterServer, findServer, stopServer } from './postmaster.ts'
import { processStamp } from './process.ts'

export { EmbeddedError }

export interface EmbeddedOptions extends SiteOptions {
  /** cancels the start: it is undone, then the signal's reason is thrown */
  signal?: AbortSignal
}

export type EmbeddedDatabase = Awaited<ReturnType<typeof startEmbedded>>

/**
 * Starts the PostgreSQL of a data folder, or joins the one that is already running.
 * @returns `url`: postgres://handup:…@127.0.0.1:port/handup, loopback only, without a Unix socket; `isNew`: this start
 *   created that database; `notes`: lines worth showing to the operator, such as the data's real path; `stop` releases
 *   the server, and resolves when it is down unless another process uses it. Idempotent
 * @throws EmbeddedError with one line for the operator; the signal's reason when that was aborted
 */
export async function startEmbedded(options: EmbeddedOptions) {
  const { signal = new AbortController().signal, onProgress = () => {} } = options
  try {
    signal.throwIfAborted()
    // Root's is passable for the server's user, an ordinary user's is private: it also holds passwords and uploads.
    const dataDir = await makeFolder(options.dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
    return await withStartLock(dataDir, signal, onProgress, async () => {
      const site = await prepareSite({ ...options, dataDir }, signal)
      // Only root's clusters are elsewhere by themselves; an operator's own link may lead anywhere.
      if (site.user !== null && dirname(site.cluster) === site.stateDir)
        await noteOwner(site.cluster, dataDir)
      await boundLog(dataDir)
      const { client, isNew } = await takeSeat(site, signal)
      const ending = new AbortController()
      const kept = keepSeat(site, client, ending.signal)
      const stop = () => {
        ending.abort()
        return kept
      }
      const url = `postgres://handup:${site.passwords.forum}@127.0.0.1:${site.port}/handup`
      return { url, isNew, notes: site.notes, stop }
    })
  } catch (error) {
    signal.throwIfAborted()
    throw explain(error, options.dataDir)
  }
}

/**
 * Starts or joins the server, and registers as its user. Requires the start lock: a second app sees the first
 * one's session.
 * @throws EmbeddedError when an app runs on this folder already, or the server is unavailable
 */
function takeSeat(site: Site, signal: AbortSignal) {
  let refused = 0
  return enterServer(site, signal, async (port) => {
    const { client, otherApp } = (await joinServer(site, port)) ?? {}
    if (client === undefined) return null
    if (!otherApp) {
      site.port = port
      const isNew = await prepareDatabase(site, client).catch(async (error) => {
        await leaveSeat(site, client)
        throw error
      })
      return { client, isNew }
    }
    await leaveSeat(site, client)
    // An app that is exiting, or was just killed, needs a moment to disappear.
    if (++refused < 25) return null
    throw new EmbeddedError(
      `Handup already runs on ${site.dataDir} (process ${otherApp}): stop it first, or set DATA_DIR to another folder`,
    )
  })
}

/** An advisory lock of the database "postgres": shared by all users of the server, taken alone by who stops it. */
const USERS = '(1751215716, 1)' // "hand"

/**
 * Connects as the superuser and registers as a user: while the session lives, no other process stops the server.
 * @returns null to retry: the server is starting, or its last user is stopping it. `otherApp`: its process, for an app
 * @throws EmbeddedError when the password is refused
 */
async function joinServer({ role, passwords }: Site, port: number) {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port, user: 'postgres', password: passwords.superuser, database: 'postgres' },
    ...{ application_name: `handup ${role} ${process.pid}`, connectionTimeoutMillis: 5000, keepAlive: true },
  })
  client.on('error', () => {}) // a lost session is noticed by its end
  try {
    await client.connect()
    const { rows } = await client.query<{ got: boolean; app: string | null }>(
      `select pg_try_advisory_lock_shared${USERS} as got,
              (select min(split_part(application_name, ' ', 3)) from pg_stat_activity
                where application_name like 'handup app %' and pid <> pg_backend_pid()) as app`,
    )
    if (rows[0]?.got) return { client, otherApp: role === 'app' ? rows[0].app : null }
  } catch (cause) {
    if ((cause as pg.DatabaseError).code?.startsWith('28'))
      throw new EmbeddedError(
        'The embedded PostgreSQL refuses the password in postgres-password: put back the file that belongs to it',
        { cause },
      )
  }
  await client.end().catch(() => {})
  return null
}

/**
 * Releases the seat; the last one stops the server and waits until it is down. Without a live session (null,
 * or lost meanwhile) a new one checks for other users of the server.
 */
async function leaveSeat(site: Site, seat: pg.Client | null): Promise<void> {
  const server = await findServer(site.cluster)
  if (server === null) return
  const client = seat ?? (await joinServer(site, server.port))?.client
  const alone = `select pg_advisory_unlock_shared${USERS}, pg_try_advisory_lock${USERS} as alone`
  const answer = await client?.query<{ alone: boolean }>(alone).catch(() => null)
  if (seat !== null && answer === null) return leaveSeat(site, null)
  // Where nobody can connect, nobody uses it. Nobody can join between the lock and the stop, either.
  if (answer?.rows[0]?.alone !== false) await stopServer(server.pid)
  await client?.end().catch(() => {})
}

/**
 * Holds the seat until the signal: when its session ends (server killed, or by an administrator), it takes a
 * new one and restarts the server. Then leaves it. Also limits the size of the server's log.
 */
async function keepSeat(site: Site, first: pg.Client, signal: AbortSignal): Promise<void> {
  const { dataDir, progress } = site
  const logWatch = setInterval(() => boundLog(dataDir).catch(() => {}), 30_000).unref()
  let [seat, told]: [pg.Client | null, string] = [first, '']
  for (;;) {
    // An error of the session, at which this rejects, is its end, too.
    await (seat ? once(seat, 'end', { signal }) : sleep(1000, undefined, { signal })).catch(() => {})
    if (signal.aborted) break
    if (seat) progress('The connection to PostgreSQL ended: making sure that it runs')
    seat = null
    try {
      seat = (await withStartLock(dataDir, signal, progress, () => takeSeat(site, signal))).client
      progress('PostgreSQL runs again')
      told = ''
    } catch (error) {
      const { message } = error as Error
      if (!signal.aborted && message !== told) progress(message)
      told = message
    }
  }
  clearInterval(logWatch)
  await leaveSeat(site, seat)
}

/**
 * The forum's role is no superuser, so an injected statement cannot read files or run programs. It may create
 * databases.
 * @returns whether the database was created now
 */
async function prepareDatabase({ passwords }: Site, client: pg.Client): Promise<boolean> {
  const has = async (what: string) => (await client.query(`select from ${what} = 'handup'`)).rowCount === 1
  if (!(await has('pg_roles where rolname'))) {
    await client.query(`set log_min_error_statement = 'panic'`) // the statement must not reach the log
    await client.query(`create role handup login createdb password '${passwords.forum}'`)
  }
  if (await has('pg_database where datname')) return false
  await client.query('create database handup owner handup')
  return true
}

/**
 * Runs `work` while no other process creates, starts or joins the folder's server. The lock is the file
 * `postgres.lock` with its owner's process number and start time; a dead process's lock is taken over. If two
 * processes ever held it, PostgreSQL's own lock and the atomic rename of a new cluster still protect the
 * data.
 */
export async function withStartLock<T>(
  dataDir: string,
  signal: AbortSignal,
  progress: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(dataDir, 'postgres.lock')
  const mine = { pid: process.pid, stamp: processStamp(process.pid) ?? '', token: randomUUID() }
  for (let poll = 0; !take(path, mine); poll++) {
    const holder = read(path)
    const isDead = holder !== null && processStamp(holder.pid) !== holder.stamp
    // Who removes it waits like all others before taking it: nobody who found the same one dead removes a newer one.
    if (isDead && read(path)?.token === holder.token) rmSync(path, { force: true })
    const start = `start on this folder (process ${holder?.pid ?? 'unknown'})`
    if (poll === 20) progress(`Waiting for another ${start}`)
    if (poll === 3600)
      throw new EmbeddedError(`Another ${start} does not finish: end it, remove ${path}, and start again`)
    await sleep(50, undefined, { signal })
  }
  try {
    return await work()
  } finally {
    if (read(path)?.token === mine.token) rmSync(path, { force: true })
  }
}

/** Creates the file with its content atomically: a temporary file is linked to its name. */
function take(path: string, mine: { token: string }): boolean {
  const aside = `${path}.${mine.token}`
  try {
    writeFileSync(aside, JSON.stringify(mine), { mode: 0o644, flag: 'wx' })
    linkSync(aside, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/** null when there is none; the owner in a file emptied by a power failure counts as dead. */
function read(path: string): { pid: number; stamp: string; token: string } | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : { pid: 0, stamp: '', token: '' }
  }
}
