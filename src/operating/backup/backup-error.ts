/** A backup or restore failed: `message` is one line with the reason and what to do. */
export class BackupError extends Error {}

/** Converts a file system error to a BackupError; returns other errors as they are. */
export function explainFile(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error)) return error
  const code = 'code' in error ? error.code : ''
  const reason = REASONS[String(code)] ?? `cannot be used: ${error.message}`
  return new BackupError(`${path} ${reason}`, { cause: error })
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there, or its folder is not',
  EACCES: 'may not be used by this user',
  EISDIR: 'is a folder: name a file',
  ENOTDIR: 'lies below something that is no folder',
  ENOSPC: 'does not fit: its disk is full',
  EDQUOT: 'does not fit: the quota of its disk is used up',
  EFBIG: 'grew larger than this user’s files may be',
  EROFS: 'is on a read-only file system',
}
