import { userInfo } from 'node:os'

/** The embedded PostgreSQL is unavailable: the message is one line that says what to do. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}

/**
 * Converts an error of the operating system or PostgreSQL to one line for the operator.
 * @param error whatever was thrown during the start
 * @param dataDir the folder of the start, named when the error names no path
 * @returns an EmbeddedError with the original as its cause; unexpected errors are returned as they are
 */
export function explain(error: unknown, dataDir: string): unknown {
  if (error instanceof EmbeddedError || !(error instanceof Error)) return error
  const { code, path, syscall } = error as NodeJS.ErrnoException
  const advice = adviceFor(code, path ?? dataDir, dataDir) ?? (syscall ? systemRefusal(error, dataDir) : null)
  return advice ? new EmbeddedError(advice, { cause: error }) : error
}

/** The line for a full disk, reported as an errno or by PostgreSQL. */
export function noRoom(dataDir: string): string {
  return `The disk of ${dataDir} is full: free some space and try again`
}

/** Whether PostgreSQL or initdb failed because the disk is full, by its message (LC_MESSAGES is C). */
export function saysNoRoom(output: string): boolean {
  return /No space left on device|Disk quota exceeded|wrote only \d+ of \d+ bytes/.test(output)
}

/** The line for DATA_DIR, or a folder that it leads to, on a disk that is mounted so. */
export function readOnly(folder: string): string {
  return `DATA_DIR ${folder} is on a read-only disk: mount it for writing, or set DATA_DIR to another folder`
}

function adviceFor(code: string | undefined, path: string, dataDir: string): string | null {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case '53100': // PostgreSQL's disk_full
      return noRoom(dataDir)
    case 'EACCES':
    case 'EPERM':
      return `${path} cannot be used by ${currentUser()}: make that user its owner, or set DATA_DIR to another folder`
    case 'EROFS':
      return readOnly(path.startsWith(`${dataDir}/`) ? dataDir : path)
    case 'ENOTDIR':
    case 'EEXIST':
      return `${path} is a file where a folder is needed: set DATA_DIR to a folder`
    case 'EXDEV':
    case 'EBUSY':
      return `A volume is mounted inside ${dataDir}: mount it at DATA_DIR itself, not below`
    case 'ENAMETOOLONG':
    case 'ELOOP':
      return `${path} is no usable path (${code}): set DATA_DIR to another folder`
    default:
      return null
  }
}

/** Other limits of the system, such as a failed fork when memory is low. */
function systemRefusal(error: Error, dataDir: string): string {
  return `The embedded PostgreSQL in ${dataDir} cannot start (${error.message}): fix that, or set DATABASE_URL`
}

/** A container may run under a uid that has no user. */
function currentUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}
