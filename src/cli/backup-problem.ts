import { BackupError } from '../backup/backup-error.ts'
import { isUnavailable } from '../database/failures.ts'
import { CommandError } from './run.ts'

/** What ended a backup or a restore, in one line; what is our own mistake comes back as it is. */
export function backupProblem(error: unknown): unknown {
  if (error instanceof BackupError) return new CommandError(error.message, { cause: error })
  if (error instanceof Error && isUnavailable(error))
    return new CommandError(`the database went away (${error.message}): nothing is left of this, try again`, {
      cause: error,
    })
  return error
}
