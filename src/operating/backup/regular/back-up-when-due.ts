import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { inOneTransaction } from '../../../database/single-connection.ts'
import { syncFolder } from '../archive-writer.ts'
import { BackupError, explainFile } from '../backup-error.ts'
import { checkBackup } from '../check-backup.ts'
import { type BackupSource, makeBackup } from '../make-backup.ts'
import { type BackupPlan, backupName, isDue, keptBackups, removeOld, removeUnfinished } from './files.ts'

/**
 * Makes the backup that is due, and removes old ones once it was read back. One process does it at a time: those that serve one
 * database have a lock in it.
 * @param signal cancels; nothing is left
 * @returns null: none is due, or another process makes it
 * @throws BackupError, StoreUnavailable, or an error of the database
 */
export async function backUpWhenDue(source: BackupSource, plan: BackupPlan, signal: AbortSignal) {
  return inOneTransaction(source.url, async ({ write }) => {
    const { rows } = await sql<{ is_free: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('handup regular backup', 0)) as is_free`.execute(
      write,
    )
    if (rows[0]?.is_free !== true) return null
    return inFolder(plan, () => backUp(source, plan, signal))
  })
}

/** The folder above must be there: that of a disk which is not mounted is not made on another one. */
async function inFolder<Result>({ folder }: BackupPlan, work: () => Promise<Result>): Promise<Result> {
  try {
    await mkdir(folder, { mode: 0o700 }).catch(unlessThere)
    return await work()
  } catch (error) {
    throw explainFile(error, folder)
  }
}

function unlessThere(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
}

async function backUp(source: BackupSource, plan: BackupPlan, signal: AbortSignal) {
  const { folder } = plan
  const now = new Date()
  // Another process may have made it since this one looked.
  if (!isDue(plan, await keptBackups(folder), now.getTime())) return null
  await removeUnfinished(folder)
  const unchecked = join(folder, backupName(now, 'unchecked'))
  try {
    const made = await makeBackup(source, unchecked, { signal, progress: { begin() {}, advance() {} } })
    await checkBackup(unchecked, { begin() {}, advance: () => refuseIfStopped(signal) })
    const name = backupName(now, made.harmed.length === 0 ? 'whole' : 'incomplete')
    await rename(unchecked, join(folder, name))
    await syncFolder(folder)
    await removeOld(plan)
    return { ...made, name }
  } finally {
    await rm(unchecked, { force: true })
  }
}

function refuseIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw new BackupError('the backup was not made: it was stopped')
}
