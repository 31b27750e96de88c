import { type applied, changedSince } from './applied.ts'
import { allMigrations, baseline, knownMigrations } from './files.ts'

/**
 * The database is of another version, has applied another text of a migration, or its tables are in use for
 * long: `message` is one line that says what to do.
 */
export class MigrationError extends Error {}

/**
 * Whether a database or a backup with these migrations is from before 0.3.0, or of a newer or unreleased
 * version.
 * @returns `newest`: the last migration, by which a version is known; null: this version can bring it up
 */
export async function otherVersion(names: readonly string[], folder?: string) {
  const base = (await baseline()).map(({ name }) => name)
  const sorted = names.toSorted()
  // A folder of a test has migrations of its own, on no tables of Handup's.
  if (folder === undefined && !base.every((name) => names.includes(name)))
    return { newest: sorted.at(-1) ?? '', isOlder: true }
  const known = await knownMigrations(folder)
  const newest = sorted.findLast((name) => !known.includes(name))
  return newest === undefined ? null : { newest, isOlder: false }
}

/** @throws MigrationError when the database is of another version, or has applied another text of a migration */
export async function refuseOthers(
  records: Awaited<ReturnType<typeof applied>>,
  folder?: string,
): Promise<void> {
  if (records.length === 0) return
  const other = await otherVersion(
    records.map(({ name }) => name),
    folder,
  )
  const files = await allMigrations(folder)
  if (other?.isOlder === true)
    throw new MigrationError(
      `This database is of a Handup before 0.3.0 (its newest migration is ${other.newest}): start Handup 0.3.0 on it once, then this version`,
    )
  if (other !== null)
    throw new MigrationError(
      `A newer or unreleased Handup was started on this database (its newest migration is ${other.newest}, that of this ` +
        `version ${files.at(-1)?.name}): start that version, or restore a backup made before it into an empty database`,
    )
  const changed = changedSince(files, records)
  if (changed.length > 0)
    throw new MigrationError(
      `This database has applied another text of ${changed.join(', ')}, which an unreleased Handup had: ` +
        'take a backup, and restore it into an empty database',
    )
}
