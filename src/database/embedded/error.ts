import { existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'

/** The embedded PostgreSQL is unavailable: the message is one line that says what to do. */
export class EmbeddedError extends Error {
  override name = 'EmbeddedError'
}

/**
 * Converts an error of the operating system or PostgreSQL to one line for the operator; others stay as they
 * are.
 * @param dataDir the folder of the start, named when the error names no path
 */
export function explain(error: unknown, dataDir: string): unknown {
  const advice = error instanceof Error ? adviceFor(error, dataDir) : null
  return advice === null ? error : new EmbeddedError(advice, { cause: error })
}

function adviceFor(error: NodeJS.ErrnoException, dataDir: string): string | null {
  const { code = '', path = dataDir, syscall, message } = error
  const is = (...codes: string[]) => codes.includes(code)
  if (is('ENOSPC', 'EDQUOT', '53100')) return noRoom(dataDir) // the last is PostgreSQL's disk_full
  if (is('EACCES', 'EPERM'))
    return `${path} cannot be used by ${currentUser()}: make that user its owner, or set DATA_DIR to another folder`
  if (is('EROFS')) return readOnly(path.startsWith(`${dataDir}/`) ? dataDir : path)
  if (is('ENOTDIR', 'EEXIST')) return `${path} is a file where a folder is needed: set DATA_DIR to a folder`
  if (is('EXDEV', 'EBUSY'))
    return `A volume is mounted inside ${dataDir}: mount it at DATA_DIR itself, not below`
  // Other limits of the system, such as a failed fork when memory is low.
  if (!syscall) return null
  return `The embedded PostgreSQL in ${dataDir} cannot start (${message}): fix that, or set DATABASE_URL`
}

/** @param folder DATA_DIR, or one that it leads to */
export const readOnly = (folder: string) =>
  `DATA_DIR ${folder} is on a read-only disk: mount it for writing, or set DATA_DIR to another folder`

const noRoom = (dataDir: string) => `The disk of ${dataDir} is full: free some space and try again`

/** A container may run under a uid that has no user. */
function currentUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}

/** Why PostgreSQL failed, by its output (LC_MESSAGES is C). @throws EmbeddedError when the disk is full */
export function reasonIn(output: string, dataDir: string): string {
  if (/No space left on device|Disk quota exceeded|wrote only \d+ of \d+ bytes/.test(output))
    throw new EmbeddedError(noRoom(dataDir))
  return /(?:error|FATAL|PANIC): +(.*)/.exec(output)?.[1] ?? output.trim().split('\n').at(-1) ?? ''
}

/** For catch(): null for what is not there. */
export const nullIfMissing = (error: NodeJS.ErrnoException) =>
  error.code === 'ENOENT' ? null : Promise.reject(error)

/**
 * Creates a folder, and those above it.
 * @param mode what the folder gets, whatever the umask is
 * @returns its real path
 * @throws EROFS where its disk is read-only: Node says ENOENT
 */
export async function makeFolder(path: string, mode?: number): Promise<string> {
  const made = await fs.mkdir(path, { recursive: true, mode: mode ?? 0o777 }).catch(async (error) => {
    let above = resolve(path)
    while (!existsSync(above)) above = dirname(above)
    await fs.access(above, fs.constants.W_OK)
    throw error
  })
  if (made !== undefined && mode !== undefined) await fs.chmod(path, mode)
  return fs.realpath(path)
}
