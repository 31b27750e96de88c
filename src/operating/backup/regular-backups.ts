import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import { inOneTransaction } from '../../database/single-connection.ts'
import { syncFolder } from './archive-writer.ts'
import { BackupError, explainFile } from './backup-error.ts'
import { checkBackup } from './check-backup.ts'
import { type BackupSource, makeBackup } from './make-backup.ts'

/**
 * Makes the backup that is due, and removes old ones once it was read back. One process does it at a time: those that serve one
 * database have a lock in it.
 * @param signal cancels; nothing is left
 * @returns null: none is due, or another process makes it
 * @throws BackupError, StoreUnavailable, or an error of the database
 */
export async function backUpWhenDue(source: BackupSource, plan: BackupPlan, signal: AbortSignal) {
  // A folder that is not there yet has none.
  if (!isDue(plan, await keptBackups(plan.folder).catch(() => []), Date.now())) return null
  return inOneTransaction(source.url, async ({ write }) => {
    const { rows } = await sql<{ is_free: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('handup regular backup', 0)) as is_free`.execute(
      write,
    )
    if (rows[0]?.is_free !== true) return null
    return backUp(source, plan, signal).catch((error: unknown) => {
      throw explainFile(error, plan.folder)
    })
  })
}

async function backUp(source: BackupSource, plan: BackupPlan, signal: AbortSignal) {
  const { folder } = plan
  const now = new Date()
  // The folder above must be there: that of a disk which is not mounted is not made on another one.
  await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  // Another process may have made it since this one looked.
  if (!isDue(plan, await keptBackups(folder), now.getTime())) return null
  await removeUnfinished(folder)
  const unchecked = join(folder, backupName(now, 'unchecked'))
  try {
    const made = await makeBackup(source, unchecked, { signal, progress: { begin() {}, advance() {} } })
    const advance = () => {
      if (signal.aborted) throw new BackupError('the backup was not made: it was stopped')
    }
    await checkBackup(unchecked, { begin() {}, advance })
    const name = backupName(now, made.harmed.length === 0 ? 'whole' : 'incomplete')
    await rename(unchecked, join(folder, name))
    await syncFolder(folder)
    await removeOld(plan)
    return { ...made, name }
  } finally {
    await rm(unchecked, { force: true })
  }
}

/** What BACKUP_EVERY, BACKUP_DIR and BACKUP_KEEP say. */
export type BackupPlan = NonNullable<Config['backups']>

/** docker/nightly-backup.sh gives the same names. */
const NAME = /^handup-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)(\.incomplete)?\.backup$/
/** One that was not checked yet, and the temporary file that it is written to: see writeArchive. */
const UNFINISHED = /^handup-[\dT-]+\.unchecked(?:\.[0-9a-f]+\.part)?$/

export function backupName(at: Date, state: 'whole' | 'incomplete' | 'unchecked'): string {
  const time = at.toISOString().slice(0, 19).replaceAll(':', '')
  if (state === 'unchecked') return `handup-${time}.unchecked`
  return `handup-${time}${state === 'incomplete' ? '.incomplete' : ''}.backup`
}

export type KeptBackup = Awaited<ReturnType<typeof keptBackups>>[number]

/**
 * The backups of a folder, newest first, by their names.
 * @returns `at`: when it was begun, in milliseconds since 1970; not `isWhole`: it lacks pictures that posts
 * show
 * @throws Error of the file system
 */
export async function keptBackups(folder: string) {
  return (await readdir(folder))
    .flatMap((name) => {
      const [, day, hour, minute, second, incomplete] = NAME.exec(name) ?? []
      const at = day === undefined ? Number.NaN : Date.parse(`${day}T${hour}:${minute}:${second}Z`)
      return Number.isNaN(at) ? [] : [{ name, at, isWhole: incomplete === undefined }]
    })
    .sort((one, other) => other.at - one.at)
}

/**
 * Whether the next backup should be made: the files say so, whoever made them and however often the forum was
 * restarted. One from the future, of a clock that was wrong, puts off nothing.
 */
export function isDue({ everyMs }: BackupPlan, kept: readonly KeptBackup[], now: number): boolean {
  const latest = kept.find(({ at }) => at <= now)
  return latest === undefined || now - latest.at >= everyMs
}

/** Removes what is more than `keep`, oldest first, and never the last complete one. */
export async function removeOld({ folder, keep }: BackupPlan): Promise<void> {
  const kept = await keptBackups(folder)
  const lastWhole = kept.find(({ isWhole }) => isWhole)
  for (const backup of kept.slice(keep)) if (backup !== lastWhole) await rm(join(folder, backup.name))
}

/** Removes what a process that was killed left half-written. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true })
}
