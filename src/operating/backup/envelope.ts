import { type FileHandle, open } from 'node:fs/promises'
import { BackupError, explainFile } from './backup-error.ts'

/**
 * A backup is a zstd stream of a tar archive between two of zstd's skippable frames (RFC 8878, 3.1.2), which
 * every zstd skips: a header with the format, and a seal with the SHA-256 of all bytes before it. So `tar
 * --zstd -tf` reads it too. A missing seal tells of a file that is cut off before a restore begins.
 */
const HEAD_MAGIC = 0x184d2a5b
const SEAL_MAGIC = 0x184d2a5e
/** Magic number and length, both little-endian. */
const FRAME = 8
const DIGEST = 32

/**
 * Increased when older versions of Handup could not read the file: those of 1 want checksum files among the
 * members.
 */
const FORMAT = 2
const SEAL = FRAME + DIGEST

export function headOf(format = FORMAT): Buffer {
  return frame(HEAD_MAGIC, Buffer.from(`Handup backup, format ${String(format).padStart(4)}\n`))
}

/** The last bytes of a backup. @param digest SHA-256 of all bytes before */
export function sealOf(digest: Buffer): Buffer {
  return frame(SEAL_MAGIC, digest)
}

/**
 * The size of a backup in bytes, what is before its archive, where that ends, and the expected SHA-256 of the
 * bytes before the seal.
 * @throws BackupError when the file is no backup, of a newer format, or truncated
 */
export async function openEnvelope(path: string) {
  const file = await open(path).catch((error: unknown) => {
    throw explainFile(error, path)
  })
  try {
    const { size } = await file.stat()
    const head = await bytesAt(file, 0, headOf().length)
    checkHead(path, head)
    const seal = await bytesAt(file, Math.max(head.length, size - SEAL), SEAL)
    const digest = seal.subarray(FRAME)
    if (!seal.equals(sealOf(digest)) || digest.length !== DIGEST)
      throw new BackupError(`${path} is cut off or damaged: its end is missing. Take another backup`)
    return { size, head, end: size - SEAL, digest }
  } catch (error) {
    throw explainFile(error, path)
  } finally {
    await file.close()
  }
}

function checkHead(path: string, bytes: Buffer): void {
  const format = Number(/^Handup backup, format +(\d+)\n$/.exec(bytes.toString('latin1', FRAME))?.[1])
  if (!bytes.equals(headOf(format))) throw new BackupError(`${path} is no backup of Handup`)
  if (format <= FORMAT) return
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
