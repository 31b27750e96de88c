import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { createTarDecoder } from 'modern-tar'
import { BackupError, explainFile } from './backup-error.ts'
import { openEnvelope } from './envelope.ts'
import { type MemberName, parseMemberName } from './manifest.ts'

/** A member of an archive. Its content must be read to the end. */
export interface Member {
  readonly name: MemberName
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * Reads a backup member by member in constant memory, and verifies the checksum of the whole file at the end.
 * If it throws, discard everything visited so far.
 * @param onRead called with the bytes read since the last call
 * @throws BackupError when the file is damaged or no backup; whatever `visit` throws
 */
export async function readArchive(
  path: string,
  visit: (member: Member) => Promise<void>,
  onRead: (bytes: number) => void = () => {},
): Promise<void> {
  const { size, head, end, digest } = await openEnvelope(path)
  const hash = createHash('sha256').update(head)
  const tapped = async function* (source: AsyncIterable<Buffer>) {
    for await (const bytes of source) {
      hash.update(bytes)
      onRead(bytes.length)
      yield bytes
    }
  }
  const file = createReadStream(path, { start: head.length, end: end - 1 })
  await pipeline(file, tapped, createZstdDecompress(), async (source: AsyncIterable<Buffer>) => {
    const tar = streamOf(orDamaged(path, source)).pipeThrough(createTarDecoder({ strict: true }))
    for await (const { header, body } of orDamaged(path, tar)) {
      const name = parseMemberName(header.name)
      if (name === null) throw new BackupError(`${path} contains an unexpected file: ${header.name}`)
      await visit({ name, content: orDamaged(path, body) })
    }
  }).catch((error: unknown) => {
    throw isBroken(error) ? damaged(path, error) : explainFile(error, path)
  })
  if (!hash.digest().equals(digest)) throw damaged(path)
  onRead(size - (end - head.length))
}

/** ReadableStream.from, which TypeScript's DOM doesn't have. */
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

/** A failure to decompress or unpack means damage; a failure to read the file does not. */
async function* orDamaged<Part>(path: string, parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  try {
    yield* parts
  } catch (error) {
    if (error instanceof BackupError || (error instanceof Error && 'syscall' in error)) throw error
    throw damaged(path, error)
  }
}

/** Whether zstd rejected its input, by the names of Node's error codes. */
function isBroken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z(STD)?_/.test(String(error.code))
}

function damaged(path: string, cause?: unknown): BackupError {
  return new BackupError(`${path} is damaged: its checksum differs. Take another backup`, { cause })
}
