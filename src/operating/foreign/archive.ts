import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { createTarDecoder } from 'modern-tar'
import { type Entry, openPromise, validateFileName } from 'yauzl'
import { streamOf } from '../backup/archive-reader.ts'

/** What of an archive is refused, in a few words: `it has a link, "x"`. */
class Refused extends Error {}

const MAX_ENTRIES = 100_000
const MAX_ENTRY = 2 * 1024 * 1024 * 1024
/** How many times as large as the archive what is in it may be. */
const MAX_RATIO = 200
/** A small archive of much alike text is no attack. */
const SMALL = 1024 * 1024

const DECOMPRESS = { gzip: createGunzip, zstd: createZstdDecompress }

/**
 * Takes an archive apart. Links, devices and names that lead out of it are refused, and what is too much.
 * @param kind of a zip, or of the compression of a tar
 * @param size of the archive in bytes
 * @param targetOf where below `folder` an entry is kept; @throws Error to refuse it
 */
export async function unpack(
  { path, kind, size }: { path: string; kind: 'zip' | 'gzip' | 'zstd'; size: number },
  folder: string,
  targetOf: (name: string) => string,
): Promise<void> {
  const bounds = new Bounds(Math.max(size, SMALL) * MAX_RATIO)
  const keep = async (
    entry: { name: string; size: number },
    open: () => Promise<AsyncIterable<Uint8Array>>,
  ) => {
    bounds.entry(entry)
    const target = join(folder, targetOf(entry.name))
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await pipeline(await open(), createWriteStream(target, { flags: 'wx', mode: 0o600 }))
  }
  if (kind === 'zip') await unzip(path, bounds, keep)
  else await untar(path, DECOMPRESS[kind], bounds, keep)
}

/** How much an archive may hold. */
class Bounds {
  readonly #most: number
  #entries = 0
  #bytes = 0

  constructor(most: number) {
    this.#most = most
  }

  entry({ name, size }: { readonly name: string; readonly size: number }): void {
    this.#entries += 1
    if (this.#entries > MAX_ENTRIES) throw new Refused(`it has more than ${MAX_ENTRIES} entries`)
    if (size > MAX_ENTRY) throw new Refused(`it has a file of more than 2 GB: ${shown(name)}`)
  }

  bytes(count: number): void {
    this.#bytes += count
    if (this.#bytes > this.#most) throw new Refused(`it holds more than ${MAX_RATIO} times its size`)
  }
}

type Keep = (
  entry: { readonly name: string; readonly size: number },
  open: () => Promise<AsyncIterable<Uint8Array>>,
) => Promise<void>

async function untar(
  path: string,
  decompress: (typeof DECOMPRESS)['gzip' | 'zstd'],
  bounds: Bounds,
  keep: Keep,
): Promise<void> {
  await pipeline(createReadStream(path), decompress(), async (source: AsyncIterable<Buffer>) => {
    const counted = counting(source, (bytes) => bounds.bytes(bytes))
    for await (const { header, body } of streamOf(counted).pipeThrough(createTarDecoder({ strict: true }))) {
      if (header.type === 'directory') await body.cancel()
      else if (header.type !== 'file')
        throw new Refused(`it has a ${header.type}, ${shown(header.name)}, where it may have files alone`)
      else await keep({ name: within(header.name), size: header.size }, async () => body)
    }
  })
}

async function* counting(source: AsyncIterable<Buffer>, count: (bytes: number) => void) {
  for await (const chunk of source) {
    count(chunk.length)
    yield chunk
  }
}

/** The type of a file in the upper half of the attributes that Unix writes. */
const [TYPE, PLAIN] = [0o170000, 0o100000]

/** Each entry has exactly the size that it says, or reading it fails. */
async function unzip(path: string, bounds: Bounds, keep: Keep): Promise<void> {
  const zip = await openPromise(path, { decodeStrings: false })
  try {
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry)
      if (name.endsWith('/')) continue
      const type = (entry.externalFileAttributes >>> 16) & TYPE
      if (type !== 0 && type !== PLAIN)
        throw new Refused(`it has a link or device, ${shown(name)}, where it may have files alone`)
      bounds.bytes(entry.uncompressedSize)
      await keep({ name: within(name), size: entry.uncompressedSize }, () => zip.openReadStreamPromise(entry))
    }
  } finally {
    zip.close()
  }
}

/** In UTF-8, or byte by byte: of a name in another encoding the part in ASCII counts. */
function nameOf({ fileNameRaw }: Entry): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(fileNameRaw)
  } catch {
    return fileNameRaw.toString('latin1')
  }
}

/** A name with `/` between its parts that leads nowhere else. */
function within(given: string): string {
  const name = given
    .normalize('NFC')
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/)+/, '')
  if (validateFileName(name) !== null || name.includes('\0') || /(?:^|\/)\.?(?:\/|$)/.test(name))
    throw new Refused(`it has a name that leads out of it: ${shown(given)}`)
  return name
}

const shown = (name: string) => JSON.stringify(name.slice(0, 80))
