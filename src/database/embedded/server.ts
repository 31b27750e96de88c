import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { EmbeddedError, noRoom, saysNoRoom } from './error.ts'
import { openLog } from './log.ts'
import { isServing, type Postmaster, readPostmasterFile, stopServer } from './postmaster.ts'
import { childEnvironment, identityOf, type SystemUser } from './process.ts'
import { serverArguments } from './settings.ts'

const longestRecovery = 120_000

/** A cluster ready to be served. */
export interface Site {
  dataDir: string
  cluster: string
  user: SystemUser | null
  binaries: Binaries
  settings: Record<string, string>
  progress: (line: string) => void
}

/** A server that accepts connections; `begun`: this call started it, so the caller may have to stop it. */
export interface Server {
  pid: number
  port: number
  begun: boolean
}

/**
 * Ensures that the cluster's one server runs: joins a running one, waits for one that is recovering or stopping, or
 * starts it. Requires the start lock.
 * @param preferredPort the port to reuse after a crash; null for any free one
 * @throws EmbeddedError when it refuses, or does not run within two minutes
 */
export async function ensureServer(
  site: Site,
  preferredPort: number | null,
  signal: AbortSignal,
): Promise<Server> {
  const begun = Date.now()
  let told = false
  let firstTry = true
  while (Date.now() - begun < longestRecovery) {
    signal.throwIfAborted()
    const file = await readPostmasterFile(site.cluster)
    if (!file || !(await isServing(file, site.cluster))) {
      // After a crash the same port first: other processes may still use it.
      const port = preferredPort ?? ((firstTry && file?.port) || (await freePort()))
      firstTry = false
      const server = await startServer(site, port, file?.pid ?? null, signal)
      if (server) return { ...server, begun: true }
    } else if (file.status === 'ready') {
      return { pid: file.pid, port: file.port, begun: false }
    }
    if (!told && Date.now() - begun > 1000) {
      site.progress(`Waiting for PostgreSQL (${file?.status || 'starting'})`)
      told = true
    }
    await sleep(100, undefined, { signal })
  }
  throw new EmbeddedError(
    `PostgreSQL in ${site.cluster} is not ready after two minutes: look into ${site.dataDir}/postgres.log`,
  )
}

/**
 * Starts the server in a session of its own (Ctrl-C reaches only us; it survives if we are killed).
 * @param stalePid the dead server's number in postmaster.pid. Another process may have it now, for which PostgreSQL
 *   would refuse to start; passed as its "grandparent" it counts as stale, while PostgreSQL still checks that no old
 *   process uses the cluster's shared memory. (Source: CreateLockFile in miscinit.c.)
 * @returns null to retry: the port is taken, or remains of a killed server are still exiting
 */
async function startServer(
  site: Site,
  port: number,
  stalePid: number | null,
  signal: AbortSignal,
): Promise<Postmaster | null> {
  const log = await openLog(site.dataDir)
  try {
    const child = spawn(site.binaries.postgres, serverArguments(site.cluster, port, site.settings), {
      cwd: '/',
      env: { ...childEnvironment, ...(stalePid && { PG_GRANDPARENT_PID: String(stalePid) }) },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...identityOf(site.user),
    })
    let ended = false
    const spawned = new Promise<number>((resolve, reject) => {
      child.once('spawn', () => resolve(child.pid ?? 0)).once('error', reject)
    })
    child.once('exit', () => (ended = true)).unref()
    const pid = await spawned
    const ready = await untilReady(site.cluster, pid, () => ended, signal).catch(async (error) => {
      await stopServer(pid)
      throw error
    })
    return ready ?? retryOrThrow(await log.written(), site)
  } finally {
    await log.close()
  }
}

async function untilReady(
  cluster: string,
  pid: number,
  hasEnded: () => boolean,
  signal: AbortSignal,
): Promise<Postmaster | null> {
  const until = Date.now() + longestRecovery
  while (!hasEnded()) {
    const file = await readPostmasterFile(cluster)
    if (file?.pid === pid && file.status === 'ready') return file
    if (Date.now() > until) throw new EmbeddedError(`PostgreSQL in ${cluster} is not ready after two minutes`)
    await sleep(15, undefined, { signal })
  }
  return null
}

function retryOrThrow(log: string, site: Site): null {
  const reason = /(?:FATAL|PANIC): +(.*)/.exec(log)?.[1] ?? log.trim().split('\n').at(-1) ?? ''
  if (saysNoRoom(log)) throw new EmbeddedError(noRoom(site.dataDir))
  const passing =
    /could not create any TCP\/IP sockets|pre-existing shared memory block|lock file ".*" already exists/
  if (passing.test(reason)) return null
  throw new EmbeddedError(
    `PostgreSQL in ${site.cluster} does not start (${reason}): look into ${site.dataDir}/postgres.log`,
  )
}

/** A free port; if another process takes it before the server does, the start is retried with another one. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
