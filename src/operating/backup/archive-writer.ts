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
import { sumsName } from './manifest.ts'

/** Maximum number of checksums in memory before a checksum file is written. */
const MAX_SUMS = 1000
const ZSTD_OPTIONS = { params: { [zlib.ZSTD_c_compressionLevel]: 3, [zlib.ZSTD_c_checksumFlag]: 1 } }

/**
 * Writes an archive to a temporary file beside `path`, flushes it to disk and renames it: `path` never holds a partial
 * backup.
 * @param fill adds the members
 * @param signal cancels; no file is left
 * @throws BackupError when the file cannot be written
 */
export async function writeArchive(
  path: string,
  signal: AbortSignal,
  fill: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    await writeFile(temporary, signal, fill)
    await rename(temporary, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(temporary, { force: true })
    if (signal.aborted) throw new BackupError(`${path} was not made: it was stopped`, { cause: error })
    throw explainFile(error, path)
  }
}

async function writeFile(
  path: string,
  signal: AbortSignal,
  fill: (archive: ArchiveWriter) => Promise<void>,
): Promise<void> {
  const { readable, controller } = createTarPacker()
  // Private, because it holds names, e-mail addresses and password hashes. flush: to disk before it is closed.
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  const writing = pipeline(chunksOf(readable), createZstdCompress(ZSTD_OPTIONS), enveloped, file, {
    signal,
  })
  const archive = new ArchiveWriter(controller)
  const filling = fill(archive).then(
    () => archive.finish(),
    (error: unknown) => {
      controller.error(error)
      throw error
    },
  )
  const ends = await Promise.allSettled([writing, filling])
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

async function* enveloped(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const head = headOf()
  hash.update(head)
  yield head
  for await (const bytes of compressed) {
    hash.update(bytes)
    yield bytes
  }
  yield sealOf(hash.digest())
}

/** The rename is durable once its folder is flushed. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync().finally(() => folder.close())
}

/** Adds members in order, with checksum files between them. */
export class ArchiveWriter {
  readonly #tar: TarPackController
  #sums: string[] = []
  #sumsFiles = 0

  constructor(tar: TarPackController) {
    this.#tar = tar
  }

  async add(name: string, bytes: Uint8Array): Promise<void> {
    await this.#write(name, bytes.length, [bytes])
    await this.#keepSum(name, createHash('sha256').update(bytes).digest('hex'))
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
    await this.#write(name, size, tapped())
    const sha256 = hash.digest()
    await this.#keepSum(name, sha256.toString('hex'))
    return { bytes: size, sha256 }
  }

  async finish(): Promise<void> {
    await this.#writeSums()
    this.#tar.finalize()
  }

  async #keepSum(name: string, sum: string): Promise<void> {
    this.#sums.push(sumLine(name, sum))
    if (this.#sums.length >= MAX_SUMS) await this.#writeSums()
  }

  async #writeSums(): Promise<void> {
    const text = Buffer.from(this.#sums.join(''))
    this.#sums = []
    this.#sumsFiles += 1
    await this.#write(sumsName(this.#sumsFiles), text.length, [text])
  }

  async #write(
    name: string,
    size: number,
    content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const writer = this.#tar.add({ name, size, type: 'file', mode: 0o600 }).getWriter()
    for await (const bytes of content) await writer.write(bytes)
    await writer.close()
  }
}

/** A line in the format of `sha256sum`. */
export function sumLine(name: string, sum: string): string {
  return `${sum}  ${name}\n`
}

/** Iterates over a web stream, and cancels the stream when the consumer stops. */
export async function* chunksOf<Chunk>(stream: ReadableStream<Chunk>): AsyncGenerator<Chunk> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // cancel() of a failed stream rejects with the same error again.
    await reader.cancel().catch(() => {})
  }
}

/** A web stream that reads from its source on demand. */
export function streamOf<Chunk>(source: AsyncGenerator<Chunk>): ReadableStream<Chunk> {
  return new ReadableStream<Chunk>({
    async pull(controller) {
      const { done, value } = await source.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await source.return(undefined)
    },
  })
}
