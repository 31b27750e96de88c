import { open, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const largest = 4 * 1024 * 1024

/** The server's log, open for appending before a start. */
export interface ServerLog {
  /** file descriptor for the server's output */
  fd: number
  /** the text written since it was opened, at most 64 KiB */
  written(): Promise<string>
  close(): Promise<void>
}

/** Opens `postgres.log` in the data folder; as root, on behalf of the folder's owner. */
export async function openLog(dataDir: string): Promise<ServerLog> {
  const path = join(dataDir, 'postgres.log')
  const file = await open(path, 'a+', 0o600)
  if (process.getuid?.() === 0) {
    const { uid, gid } = await stat(dataDir)
    await file.chown(uid, gid)
  }
  const begin = (await file.stat()).size
  return {
    fd: file.fd,
    written: async () => readFrom(path, begin, 64 * 1024),
    close: () => file.close(),
  }
}

/**
 * Keeps the log under 4 MiB: of a larger one the newest 4 MiB go to `postgres.log.1`, and the file is truncated. Not
 * renamed, because the server holds it open for appending.
 */
export async function boundLog(dataDir: string): Promise<void> {
  const path = join(dataDir, 'postgres.log')
  const size = (await stat(path).catch(() => null))?.size ?? 0
  if (size <= largest) return
  const newest = await readFrom(path, size - largest, largest)
  await rm(`${path}.1`, { force: true }) // may be root's, when root started this user's folder before
  await writeFile(`${path}.1`, newest, { mode: 0o600 })
  const file = await open(path, 'r+')
  await file.truncate(0).finally(() => file.close())
}

async function readFrom(path: string, position: number, length: number): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(length), position })
    return buffer.subarray(0, bytesRead).toString('utf8')
  } finally {
    await file.close()
  }
}
