import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, constants as zlib } from 'node:zlib'
import { createTarPacker, type TarPackController } from 'modern-tar'
import type { FileDigest } from '../../forum/pictures/whole.ts'
import { BackupError, explainFile } from './backup-error.ts'
import { headOf, sealOf } from './envelope.ts'

const ZSTD_OPTIONS = { params: { [zlib.ZSTD_c_compressionLevel]: 3, [zlib.ZSTD_c_checksumFlag]: 1 } }

/**
 * Writes an archive to a temporary file beside `path`, flushes and renames it: `path` never holds a partial
 * backup.
 * @param fill adds the members
 * @param signal cancels; no file is left
 * @returns what `fill` returns
 * @throws BackupError when the file cannot be written
 */
export async function writeArchive<Result>(
  path: string,
  signal: AbortSignal,
  fill: (archive: ArchiveWriter) => Promise<Result>,
): Promise<Result> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    const result = await writeFile(temporary, signal, fill)
    await rename(temporary, path)
    await syncFolder(dirname(path))
    return result
  } catch (error) {
    await rm(temporary, { force: true })
    if (signal.aborted) throw new BackupError(`${path} was not made: it was stopped`, { cause: error })
    throw explainFile(error, path)
  }
}

async function writeFile<Result>(
  path: string,
  signal: AbortSignal,
  fill: (archive: ArchiveWriter) => Promise<Result>,
): Promise<Result> {
  const { readable, controller } = createTarPacker()
  // Private, because it holds names, e-mail addresses and password hashes. flush: to disk before it is closed.
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  const writing = pipeline(readable, createZstdCompress(ZSTD_OPTIONS), enveloped, file, { signal })
  const filling = fill(new ArchiveWriter(controller)).then(
    (result) => {
      controller.finalize()
      return result
    },
    (error: unknown) => {
      controller.error(error)
      throw error
    },
  )
  const [written, filled] = await Promise.allSettled([writing, filling])
  if (written.status === 'rejected') throw written.reason
  if (filled.status === 'rejected') throw filled.reason
  return filled.value
}

async function* enveloped(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256').update(headOf())
  yield headOf()
  for await (const bytes of compressed) {
    hash.update(bytes)
    yield bytes
  }
  yield sealOf(hash.digest())
}

/** A rename is durable once its folder is flushed. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

export class ArchiveWriter {
  readonly #tar: TarPackController

  constructor(tar: TarPackController) {
    this.#tar = tar
  }

  async add(
    name: string,
    size: number,
    content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const writer = this.#tar.add({ name, size, type: 'file', mode: 0o600 }).getWriter()
    for await (const bytes of content) await writer.write(bytes)
    await writer.close()
  }

  /** @returns what was read. @throws Error when the file changes while it is read */
  async addFile(name: string, path: string): Promise<FileDigest> {
    const hash = createHash('sha256')
    const { size } = await stat(path)
    const tapped = async function* () {
      for await (const bytes of createReadStream(path)) {
        hash.update(bytes)
        yield bytes
      }
    }
    await this.add(name, size, tapped())
    return { bytes: size, sha256: hash.digest() }
  }
}
