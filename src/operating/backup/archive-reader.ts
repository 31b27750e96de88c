import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { createTarDecoder } from 'modern-tar'
import { chunksOf, streamOf, sumLine } from './archive-writer.ts'
import { BackupError, explainFile } from './backup-error.ts'
import { headOf, openEnvelope } from './envelope.ts'
import { type MemberName, parseMemberName } from './manifest.ts'

/** A member of an archive other than its checksum files. Its content must be read to the end. */
export interface Member {
  readonly name: Exclude<MemberName, { readonly kind: 'sums' }>
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * Reads a backup member by member in constant memory, and verifies the checksums of each member and of the whole file.
 * If it throws, discard everything visited so far.
 * @param onRead called with the bytes read since the last call
 * @throws BackupError when the file is damaged or no backup; whatever `visit` throws
 */
export async function readArchive(
  path: string,
  visit: (member: Member) => Promise<void>,
  onRead: (bytes: number) => void = () => {},
): Promise<void> {
  const { size, start, end, digest } = await openEnvelope(path)
  const hash = createHash('sha256').update(headOf())
  const tapped = async function* (source: AsyncIterable<Buffer>) {
    for await (const bytes of source) {
      hash.update(bytes)
      onRead(bytes.length)
      yield bytes
    }
  }
  const file = createReadStream(path, { start, end: end - 1 })
  await pipeline(file, tapped, createZstdDecompress(), async (source: AsyncIterable<Buffer>) => {
    const sums = new Sums(path)
    const tar = streamOf(orDamaged(path, source)).pipeThrough(createTarDecoder({ strict: true }))
    for await (const { header, body } of orDamaged(path, chunksOf(tar))) {
      await visitMember(path, header.name, orDamaged(path, chunksOf(body)), sums, visit)
    }
    sums.finish()
  }).catch((error: unknown) => {
    throw isBroken(error) ? damaged(path, error) : explainFile(error, path)
  })
  if (!hash.digest().equals(digest)) throw damaged(path)
  onRead(size - (end - start))
}

async function visitMember(
  path: string,
  name: string,
  body: AsyncIterable<Uint8Array>,
  sums: Sums,
  visit: (member: Member) => Promise<void>,
): Promise<void> {
  const parsed = parseMemberName(name)
  if (parsed === null) throw new BackupError(`${path} contains an unexpected file: ${name}`)
  if (parsed.kind === 'sums') return sums.compare(await textOf(body))
  const hash = createHash('sha256')
  const content = async function* () {
    for await (const bytes of body) {
      hash.update(bytes)
      yield bytes
    }
  }
  await visit({ name: parsed, content: content() })
  sums.add(sumLine(name, hash.digest('hex')))
}

/** The text of a member that is known to be small. */
export async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const bytes of content) parts.push(bytes)
  return Buffer.concat(parts).toString('utf8')
}

/** Checksums of the members since the last checksum file. */
class Sums {
  readonly #path: string
  #lines: string[] = []

  constructor(path: string) {
    this.#path = path
  }

  add(line: string): void {
    this.#lines.push(line)
  }

  compare(text: string): void {
    if (text !== this.#lines.join('')) throw damaged(this.#path)
    this.#lines = []
  }

  /** No member may follow the last checksum file. */
  finish(): void {
    if (this.#lines.length > 0) throw damaged(this.#path)
  }
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
