import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedError } from './error.ts'
import { processStamp } from './process.ts'

/**
 * Runs `work` while no other process creates, starts or joins the folder's server. The lock is the file `postgres.lock`
 * with its owner's process number and start time; a dead process's lock is taken over. If two processes ever held it,
 * PostgreSQL's own lock and the atomic rename of a new cluster still protect the data.
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
