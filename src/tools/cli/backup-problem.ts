import { isUnavailable } from '../../database/failures.ts'
import { StoreUnavailable } from '../../forum/pictures/store.ts'
import { BackupError } from '../../operating/backup/backup-error.ts'
import { CommandError } from './run.ts'

/** Converts what ended a backup or restore to one line; returns unexpected errors as they are. */
export function backupProblem(error: unknown): unknown {
  if (error instanceof StoreUnavailable)
    return new CommandError(
      `lost the connection to the pictures (${error.message}): nothing was changed, try again`,
      {
        cause: error,
      },
    )
  if (error instanceof BackupError) return new CommandError(error.message, { cause: error })
  if (error instanceof Error && isUnavailable(error))
    return new CommandError(
      `lost the connection to the database (${error.message}): nothing was changed, try again`,
      {
        cause: error,
      },
    )
  return error
}
