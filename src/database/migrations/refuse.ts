import { type AppliedMigration, notAmong } from './applied.ts'
import type { MigrationFile } from './files.ts'

/**
 * The database has migrations that this version lacks, has applied another text of one, or its tables are in use for
 * long: `message` is one line that says what to do.
 */
export class MigrationError extends Error {}

/** @throws MigrationError when the database has migrations that this version lacks */
export function refuseUnknown(files: readonly MigrationFile[], records: readonly AppliedMigration[]): void {
  const unknown = notAmong(
    files.map(({ name }) => name),
    records.map(({ name }) => name),
  )
  if (unknown === null) return
  const { newest, areOlder } = unknown
  throw new MigrationError(
    areOlder
      ? `This database was created by Handup 0.1 (${newest}), and no later version can upgrade it: start 0.1, or this ` +
          'version on an empty database'
      : `A newer or unreleased Handup was started on this database (its newest migration is ${newest}, that of this ` +
          `version ${files.at(-1)?.name}): start that version, or restore a backup made before it into an empty database`,
  )
}
