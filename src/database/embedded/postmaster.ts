import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile, readlink, realpath } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Site } from './cluster.ts'
import { EmbeddedError, nullIfMissing, reasonIn } from './error.ts'
import { openLog } from './log.ts'
import { findProcess, processStamp, spawnOptions } from './process.ts'

/**
 * Reads postmaster.pid, if there is one (for its lines see PostgreSQL's pidfile.h). The process may be dead; its status
 * is "starting", "ready" or "stopping", and "" while the file is being written.
 */
export async function readPostmasterFile(cluster: string) {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(nullIfMissing)
  const [pid, folder = '', , port, , , , status = ''] = text?.split('\n') ?? []
  return Number(pid) ? { pid: Number(pid), folder, port: Number(port), status: status.trim() } : null
}

/**
 * Whether the process in the file is this cluster's server. After a crash or in a new container another process may
 * have its number; a server's working directory is its cluster's folder.
 */
export async function isServing(file: { pid: number; folder: string }, cluster: string): Promise<boolean> {
  const found = findProcess(file.pid)
  if (found === null) return false
  const folder = await readlink(`/proc/${file.pid}/cwd`).catch(() => null)
  if (folder !== null) return folder === cluster
  // Root in a container may not inspect another user's process, and macOS shows no folder; the name must do.
  return found.name === 'postgres' && (await realpath(file.folder).catch(() => null)) === cluster
}

/** The postmaster.pid of a server that runs, in whatever status. */
export async function findServer(cluster: string) {
  const file = await readPostmasterFile(cluster)
  return file !== null && (await isServing(file, cluster)) ? file : null
}

/**
 * Ensures that the cluster's one server runs, and enters it: joins a running one, waits for one that is recovering or
 * stopping, or starts it. Requires the start lock. A server that was started in vain is stopped.
 * @param enter null to do it again a moment later
 * @throws EmbeddedError when the server refuses, or cannot be entered within two minutes
 */
export async function enterServer<T>(
  site: Site,
  signal: AbortSignal,
  enter: (port: number) => Promise<T | null>,
): Promise<T> {
  const seeLog = `: look into ${site.dataDir}/postgres.log`
  let own: Awaited<ReturnType<typeof launch>> | null = null
  try {
    for (let poll = 0, until = Date.now() + 120_000; Date.now() < until; poll++) {
      signal.throwIfAborted()
      const running = await findServer(site.cluster)
      const entered = running?.status === 'ready' ? await enter(running.port) : null
      if (entered !== null) return entered
      if (running === null && !own?.isAlive()) {
        const reason = own && reasonIn(await own.written(), site.dataDir)
        if (reason !== null && !PASSING.test(reason))
          throw new EmbeddedError(`PostgreSQL in ${site.cluster} does not start (${reason})${seeLog}`)
        own = await launch(site, own === null)
      }
      if (poll === 50) site.progress(`Waiting for PostgreSQL (${running?.status || 'starting'})`)
      await sleep(20, undefined, { signal })
    }
    throw new EmbeddedError(`PostgreSQL in ${site.cluster} is not ready after two minutes${seeLog}`)
  } catch (error) {
    if (own?.isAlive()) await stopServer(own.pid)
    throw error
  }
}

/** Tried again: with another port, or a moment later, when the processes of a killed server have gone. */
const PASSING =
  /could not create any TCP\/IP sockets|pre-existing shared memory block|lock file ".*" already exists/

async function launch(site: Site, isFirstTry: boolean) {
  const stale = await readPostmasterFile(site.cluster)
  // After a crash the same port first: other processes may still use it. Else one of those that are nobody's.
  const port = site.port ?? ((isFirstTry && stale?.port) || randomInt(49_152, 65_536))
  // Another process may have the dead server's number now, for which PostgreSQL would refuse to start; passed as its
  // "grandparent" it counts as stale, while PostgreSQL still checks that no old process uses the cluster's shared
  // memory. (Source: CreateLockFile in miscinit.c.)
  const options = spawnOptions(site.user, stale ? { PG_GRANDPARENT_PID: String(stale.pid) } : {})
  const log = await openLog(site.dataDir)
  try {
    const settings = serverArguments(site.cluster, port, site.settings)
    const child = spawn(site.binaries.postgres, settings, { ...options, stdio: ['ignore', log.fd, log.fd] })
    child.unref()
    await once(child, 'spawn')
    const isAlive = () => child.exitCode === null && child.signalCode === null
    return { pid: child.pid ?? 0, isAlive, written: log.written }
  } finally {
    await log.close()
  }
}

/**
 * Stops a server and waits until its process is gone: "fast" (rolls back open transactions, writes everything out), and
 * after 10 s "immediate" (the next start recovers from the log, nothing is lost).
 */
export async function stopServer(pid: number): Promise<void> {
  const stamp = processStamp(pid)
  for (const name of ['SIGINT', 'SIGQUIT'] as const) {
    for (let poll = 0; poll < 500; poll++) {
      if (stamp === null || processStamp(pid) !== stamp) return
      if (poll === 0) process.kill(pid, name)
      await sleep(20)
    }
  }
  throw new EmbeddedError(`PostgreSQL (process ${pid}) does not stop: end it with kill -QUIT ${pid}`)
}

/** Of the machine or container in MB. */
const memory = Math.floor(Math.min(totalmem(), process.constrainedMemory() || totalmem()) / 2 ** 20)

/** Defaults for a server that shares the machine with the forum. */
const defaults: Record<string, string> = {
  max_connections: '100',
  // An eighth (PostgreSQL's documentation advises a quarter on a dedicated machine); allocated only when they are used.
  shared_buffers: `${Math.min(4096, Math.max(128, Math.floor(memory / 8)))}MB`,
  effective_cache_size: `${Math.max(512, Math.floor(memory / 2))}MB`,
  maintenance_work_mem: '64MB',
  max_wal_size: '512MB',
  random_page_cost: '1.1', // disks are SSDs
  autovacuum_vacuum_cost_delay: '20ms', // pages share a core with it; the default before PostgreSQL 12
  jit: 'off', // pages' queries are short
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C', // our parser of the log depends on it
  log_line_prefix: '%m [%p] %a ',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse', // without DETAIL, which would quote people's texts and addresses
  unix_socket_directories: '',
}

/**
 * The server's command line. No setting is secret: process listings show them.
 * @param settings override the defaults, but not the restriction to loopback
 */
export function serverArguments(cluster: string, port: number, settings: Record<string, string>): string[] {
  const fixed = { listen_addresses: '127.0.0.1', port, logging_collector: 'off', log_destination: 'stderr' }
  const all = Object.entries({ ...defaults, ...settings, ...fixed })
  return ['-D', cluster, ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}
