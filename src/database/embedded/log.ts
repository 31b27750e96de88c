import { open, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const LARGEST = 4 * 1024 * 1024

/**
 * @returns `fd` of `postgres.log` for the server's output; `written` reads what came since it was opened, at
 * most 64 KiB
 */
export async function openLog(dataDir: string) {
  const path = join(dataDir, 'postgres.log')
  const file = await open(path, 'a+', 0o600)
  if (process.getuid?.() === 0) {
    const { uid, gid } = await stat(dataDir)
    await file.chown(uid, gid)
  }
  const begin = (await file.stat()).size
  return { fd: file.fd, written: () => readFrom(path, begin, 64 * 1024), close: () => file.close() }
}

/**
 * Keeps the log under 4 MiB: of a larger one the newest 4 MiB go to `postgres.log.1`, and the file is
 * truncated. It is not renamed, because the server holds it open for appending.
 */
export async function boundLog(dataDir: string): Promise<void> {
  const path = join(dataDir, 'postgres.log')
  const size = (await stat(path).catch(() => null))?.size ?? 0
  if (size <= LARGEST) return
  const newest = await readFrom(path, size - LARGEST, LARGEST)
  await rm(`${path}.1`, { force: true }) // may be root's, when root started this user's folder before
  await writeFile(`${path}.1`, newest, { mode: 0o600 })
  await truncate(path)
}

async function readFrom(path: string, position: number, length: number): Promise<string> {
  const file = await open(path, 'r')
  const reading = file.read({ buffer: Buffer.alloc(length), position })
  const { bytesRead, buffer } = await reading.finally(() => file.close())
  return buffer.subarray(0, bytesRead).toString('utf8')
}
