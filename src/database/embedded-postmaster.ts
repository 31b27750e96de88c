import { readFile, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedError } from './embedded-error.ts'
import { processName, processStamp } from './embedded-process.ts'

/** The living server of a cluster, as its postmaster.pid tells. */
export interface Postmaster {
  pid: number
  port: number
  /** PostgreSQL's own words: "starting", "ready", "stopping"; "" while the file is being written */
  status: string
}

/** How the file names a process that may be long gone. */
export interface PostmasterFile extends Postmaster {
  folder: string
}

/** Reads postmaster.pid (its lines: see PostgreSQL's pidfile.h); null when there is none. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return ''
      throw error
    },
  )
  const [pid, folder, , port, , , , status] = text.split('\n')
  if (!Number(pid)) return null
  return { pid: Number(pid), folder: folder ?? '', port: Number(port), status: status?.trim() ?? '' }
}

/**
 * Whether the process the file names is this cluster's server. After a crash or in a new container its number may
 * belong to somebody else: a server stands in its cluster's folder, and that tells.
 */
export async function isServing(file: PostmasterFile, cluster: string): Promise<boolean> {
  if (processStamp(file.pid) === null) return false
  const folder =
    process.platform === 'linux' ? await readlink(`/proc/${file.pid}/cwd`).catch(() => null) : null
  // Root in a container may not look into another user's process, and macOS shows no folder; the name must do.
  return folder
    ? folder === cluster
    : processName(file.pid) === 'postgres' && sameFolder(file.folder, cluster)
}

/**
 * Stops a server and waits until it is really gone: "fast" (open transactions are rolled back, all is written out),
 * and if that takes longer than 10 s, "immediate" (the next start recovers from the log, nothing is lost).
 */
export async function stopServer(pid: number): Promise<void> {
  const stamp = processStamp(pid)
  if (stamp === null) return
  for (const [signal, patience] of [['SIGINT', 10_000] as const, ['SIGQUIT', 10_000] as const]) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
      throw error
    }
    const until = Date.now() + patience
    while (Date.now() < until) {
      if (processStamp(pid) !== stamp) return
      await sleep(15)
    }
  }
  throw new EmbeddedError(`PostgreSQL (process ${pid}) does not stop: end it with kill -QUIT ${pid}`)
}

async function sameFolder(folder: string, cluster: string): Promise<boolean> {
  return (await realpath(folder).catch(() => null)) === cluster
}
