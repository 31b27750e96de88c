import { type FileHandle, open } from 'node:fs/promises'
import { BackupError, explainFile } from './backup-error.ts'

/**
 * A backup is a zstd stream of a tar archive between two of zstd's skippable frames (RFC 8878, 3.1.2), which every zstd
 * skips: a header with the format, and a seal with the SHA-256 of all bytes before it. So `tar --zstd -tf` reads it
 * too. zstd's own checksum and the archive's checksum files find damage as well, but only once everything before it has been
 * read: a missing seal tells of a file that is cut off before a restore begins.
 */
const HEAD_MAGIC = 0x184d2a5b
const SEAL_MAGIC = 0x184d2a5e
/** Magic number and length, both little-endian. */
const FRAME = 8
const DIGEST = 32

/** Increased when older versions of Handup could not read the file. */
const FORMAT = 1

const head = (format: number | string) => `Handup backup, format ${String(format).padStart(4)}\n`
const HEAD = FRAME + head(FORMAT).length
const SEAL = FRAME + DIGEST

export function headOf(): Buffer {
  return frame(HEAD_MAGIC, Buffer.from(head(FORMAT)))
}

/**
 * The last bytes of a backup.
 * @param digest SHA-256 of all bytes before
 */
export function sealOf(digest: Buffer): Buffer {
  return frame(SEAL_MAGIC, digest)
}

/**
 * The size of a backup in bytes, the position of its archive in it, and the expected SHA-256 of the bytes before the seal.
 * @throws BackupError when the file is no backup, of a newer format, or truncated
 */
export async function openEnvelope(path: string) {
  const file = await open(path).catch((error: unknown) => {
    throw explainFile(error, path)
  })
  try {
    const { size } = await file.stat()
    checkHead(path, await bytesAt(file, 0, HEAD))
    const seal = await bytesAt(file, Math.max(HEAD, size - SEAL), SEAL)
    const digest = seal.subarray(FRAME)
    if (!seal.equals(sealOf(digest)) || digest.length !== DIGEST)
      throw new BackupError(`${path} is cut off or damaged: its end is missing. Take another backup`)
    return { size, start: HEAD, end: size - SEAL, digest }
  } catch (error) {
    throw explainFile(error, path)
  } finally {
    await file.close()
  }
}

function checkHead(path: string, bytes: Buffer): void {
  if (bytes.equals(headOf())) return
  const format = /^Handup backup, format +(\d+)\n$/.exec(bytes.toString('latin1', FRAME))?.[1]
  if (format === undefined || Number(format) <= FORMAT)
    throw new BackupError(`${path} is no backup of Handup`)
  throw new BackupError(`${path} was made by a newer Handup (format ${format}): update this one first`)
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

function frame(magic: number, content: Buffer): Buffer {
  const start = Buffer.alloc(FRAME)
  start.writeUInt32LE(magic, 0)
  start.writeUInt32LE(content.length, 4)
  return Buffer.concat([start, content])
}
