import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Binaries } from './embedded-binaries.ts'
import { EmbeddedError, noRoom, saysNoRoom } from './embedded-error.ts'
import { openLog } from './embedded-log.ts'
import { isServing, type Postmaster, readPostmasterFile, stopServer } from './embedded-postmaster.ts'
import { childEnvironment, identityOf, type SystemUser } from './embedded-process.ts'
import { serverArguments } from './embedded-settings.ts'

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

/** A server that takes connections; `begun`: by this call, so whoever called may have to end it. */
export interface Server {
  pid: number
  port: number
  begun: boolean
}

/**
 * Makes sure that the cluster's one server runs: attaches to a living one, waits for one that is recovering or
 * stopping, or starts it. Call it under the start lock.
 * @param wishedPort the port to have again after a crash; null for any free one
 * @throws EmbeddedError when it does not run within two minutes or refuses
 */
export async function ensureServer(
  site: Site,
  wishedPort: number | null,
  signal: AbortSignal,
): Promise<Server> {
  const begun = Date.now()
  let told = false
  let firstTry = true
  while (Date.now() - begun < longestRecovery) {
    signal.throwIfAborted()
    const file = await readPostmasterFile(site.cluster)
    if (!file || !(await isServing(file, site.cluster))) {
      // After a crash the same port at first: others may still know it.
      const port = wishedPort ?? ((firstTry && file?.port) || (await freePort()))
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
 * Starts the server in a session of its own (the terminal's Ctrl-C is ours alone; killed, we leave it running).
 * @param stalePid the dead server's number in postmaster.pid. It may belong to another process now, for which
 *   PostgreSQL would refuse to start; named as its "grandparent" it is taken for stale, while PostgreSQL still makes
 *   sure itself that no old process uses the cluster's shared memory. (Source: CreateLockFile in miscinit.c.)
 * @returns null when it should be tried again: port taken, or remains of a killed server still ending
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

/** A port that is free now; should somebody take it before the server does, the start is tried with another. */
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
