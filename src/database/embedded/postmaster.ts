import { readFile, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedError } from './error.ts'
import { processName, processStamp } from './process.ts'

/** The running server of a cluster, by its postmaster.pid. */
export interface Postmaster {
  pid: number
  port: number
  /** PostgreSQL's status: "starting", "ready", "stopping"; "" while the file is being written */
  status: string
}

/** The file's reference to a process, which may be dead. */
export interface PostmasterFile extends Postmaster {
  folder: string
}

/** Reads postmaster.pid (for its lines see PostgreSQL's pidfile.h); null when there is none. */
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
 * Whether the process in the file is this cluster's server. After a crash or in a new container another process may
 * have its number; a server's working directory is its cluster's folder.
 */
export async function isServing(file: PostmasterFile, cluster: string): Promise<boolean> {
  if (processStamp(file.pid) === null) return false
  const folder =
    process.platform === 'linux' ? await readlink(`/proc/${file.pid}/cwd`).catch(() => null) : null
  // Root in a container may not inspect another user's process, and macOS shows no folder; the name must do.
  return folder
    ? folder === cluster
    : processName(file.pid) === 'postgres' && sameFolder(file.folder, cluster)
}

/**
 * Stops a server and waits until its process is gone: "fast" (rolls back open transactions, writes everything out), and
 * after 10 s "immediate" (the next start recovers from the log, nothing is lost).
 */
export async function stopServer(pid: number): Promise<void> {
  const stamp = processStamp(pid)
  if (stamp === null) return
  for (const [signal, timeoutMs] of [['SIGINT', 10_000] as const, ['SIGQUIT', 10_000] as const]) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
      throw error
    }
    const until = Date.now() + timeoutMs
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
