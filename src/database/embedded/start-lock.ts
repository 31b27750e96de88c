import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedError } from './error.ts'
import { processStamp } from './process.ts'

const longestWait = 180_000

interface Holder {
  pid: number
  stamp: string
  token: string
}

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
  const mine: Holder = { pid: process.pid, stamp: processStamp(process.pid) ?? '', token: randomUUID() }
  const begun = Date.now()
  let told = false
  while (!take(path, mine)) {
    const holder = read(path)
    if (holder && processStamp(holder.pid) !== holder.stamp) breakStale(path, holder)
    if (Date.now() - begun > longestWait) throw new EmbeddedError(stuckLine(path, holder))
    if (!told && Date.now() - begun > 1000) {
      progress(`Waiting for another start on this folder (process ${holder?.pid ?? 'unknown'})`)
      told = true
    }
    await sleep(50, undefined, { signal })
  }
  try {
    return await work()
  } finally {
    if (read(path)?.token === mine.token) rmSync(path, { force: true })
  }
}

/** Creates the file with its content atomically: a temporary file is linked to its name. */
function take(path: string, mine: Holder): boolean {
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
function read(path: string): Holder | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : { pid: 0, stamp: '', token: '' }
  }
}

/**
 * Removes a dead owner's lock. Two waiters may judge the same lock stale; the second must not remove the lock that the
 * first has taken since, so only one at a time checks again and removes it.
 */
function breakStale(path: string, stale: Holder): void {
  const breaking = `${path}.breaking`
  try {
    writeFileSync(breaking, '', { flag: 'wx' })
  } catch {
    const age = Date.now() - (statSync(breaking, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > 10_000) rmSync(breaking, { force: true }) // its creator was killed in between
    return
  }
  try {
    if (read(path)?.token === stale.token) rmSync(path, { force: true })
  } finally {
    rmSync(breaking, { force: true })
  }
}

function stuckLine(path: string, holder: Holder | null): string {
  const who = holder ? `process ${holder.pid}` : 'an unknown process'
  return `Another start on this folder (${who}) does not finish: end it, remove ${path}, and start again`
}
