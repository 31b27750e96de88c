import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config.ts'
import type { Database } from '../../database/schema.ts'
import { writeEvent } from '../../kernel/audit/note.ts'
import { backUpWhenDue } from '../backup/regular-backups.ts'
import { uploadPlace } from '../backup/uploads.ts'
import { type Running, runningUntil } from '../running.ts'

/** Of the looks at the folder. */
const [FIRST_DELAY_MS, INTERVAL_MS] = [2000, 20_000]
/** How long a process waits after one that failed. */
const RETRY_MS = 10 * 60_000
/** How long a stop waits for what a backup has left to tidy up. */
const STOP_TIMEOUT_MS = 4000

/** Backs up every BACKUP_EVERY; nothing without it. Each process looks, one of them does it. */
export function startBackups(config: Config, db: Database, url: string, log: FastifyBaseLogger): Running {
  if (config.backups === null) return runningUntil(async () => {})
  const stopping = new AbortController()
  let running: Promise<void> | null = null
  let notBefore = 0
  const look = () => {
    if (running !== null || Date.now() < notBefore) return
    running = backUp(config, { db, url, log, signal: stopping.signal }).then((isFine) => {
      notBefore = isFine ? 0 : Date.now() + RETRY_MS
      running = null
    })
  }
  const first = setTimeout(look, FIRST_DELAY_MS).unref()
  const timer = setInterval(look, INTERVAL_MS).unref()
  return runningUntil(async () => {
    stopping.abort()
    clearTimeout(first)
    clearInterval(timer)
    await Promise.race([running, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })])
  })
}

/** Makes a backup if one is due, and tells what became of it. @returns false: it failed */
export async function backUp(
  config: Pick<Config, 'backups' | 'dataDir' | 's3Url'>,
  { db, url, log, signal }: { db: Database; url: string; log: FastifyBaseLogger; signal: AbortSignal },
): Promise<boolean> {
  const { backups: plan } = config
  if (plan === null) return true
  try {
    const made = await backUpWhenDue({ db, url, ...uploadPlace(config) }, plan, signal)
    if (made === null) return true
    const { name: file, bytes, harmed } = made
    if (harmed.length === 0) writeEvent(log, 'backup-made', { file, bytes })
    else writeEvent(log, 'backup-incomplete', { file, bytes, pictures: harmed.length })
    return true
  } catch (error) {
    // A stop is no failure: the next start makes it.
    if (!signal.aborted)
      writeEvent(log, 'backup-failed', { reason: error instanceof Error ? error.message : String(error) })
    return false
  }
}
