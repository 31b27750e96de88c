import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../../config.ts'

/** What BACKUP_EVERY, BACKUP_DIR and BACKUP_KEEP say. */
export type BackupPlan = NonNullable<Config['backups']>

/** A backup in the folder, by its name: docker/nightly-backup.sh gives the same names. */
export interface KeptBackup {
  readonly name: string
  /** When it was begun, in milliseconds since 1970. */
  readonly at: number
  /** false: it lacks pictures that posts show. */
  readonly isWhole: boolean
}

const NAME = /^handup-(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)(\.incomplete)?\.backup$/
/** One that was not checked yet, and the temporary file that it is written to: see writeArchive. */
const UNFINISHED = /^handup-[\dT-]+\.unchecked(?:\.[0-9a-f]+\.part)?$/

export function backupName(at: Date, state: 'whole' | 'incomplete' | 'unchecked'): string {
  const time = at.toISOString().slice(0, 19).replaceAll(':', '')
  if (state === 'unchecked') return `handup-${time}.unchecked`
  return `handup-${time}${state === 'incomplete' ? '.incomplete' : ''}.backup`
}

/**
 * The backups of a folder, newest first.
 * @throws Error of the file system
 */
export async function keptBackups(folder: string): Promise<KeptBackup[]> {
  return (await readdir(folder))
    .flatMap((name) => {
      const [, day, hour, minute, second, incomplete] = NAME.exec(name) ?? []
      const at = day === undefined ? Number.NaN : Date.parse(`${day}T${hour}:${minute}:${second}Z`)
      return Number.isNaN(at) ? [] : [{ name, at, isWhole: incomplete === undefined }]
    })
    .sort((one, other) => other.at - one.at)
}

/**
 * Whether the next backup should be made: the files say so, whoever made them and however often the forum was restarted.
 * One from the future, of a clock that was wrong, puts off nothing.
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
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (UNFINISHED.test(name)) await rm(join(folder, name), { force: true })
}
