import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { encodingOf } from '../../text/table.ts'
import { ExchangeError, unreadable } from '../exchange/exchange-error.ts'
import { unpack } from '../foreign/archive.ts'
import { inFolder } from '../foreign/temporary-folder.ts'

/** A file of an export of another forum. */
export interface SourceFile {
  /** Its path in the folder or archive, with `/`. Of a name in an old encoding the ASCII part counts. */
  readonly name: string
  /** In bytes. */
  readonly size: number
  /** Where it is on this machine. */
  readonly path: string
  /** Its content; a progress is told of each piece. */
  bytes(): AsyncIterable<Buffer>
}

/** An export of another forum: a folder, an archive that was taken apart, or one file. */
export interface SourceFiles {
  /** Of the folder or file, without its ending. */
  readonly title: string
  readonly folder: string
  readonly all: readonly SourceFile[]
  /** The first whose name fits. */
  find(name: RegExp): SourceFile | null
}

/** Archives by how they begin. */
const KINDS = [
  { kind: 'zip', magic: Buffer.from('PK\u0003\u0004') },
  { kind: 'gzip', magic: Buffer.from([0x1f, 0x8b]) },
] as const

/**
 * Reads what somebody brought: archives are told by their content. What was taken apart is gone after.
 * @throws ExchangeError when it isn't there, or an archive is refused
 */
export async function withSourceFiles<Result>(
  path: string,
  read: (files: SourceFiles) => Promise<Result>,
  onRead: (bytes: number) => void = () => {},
): Promise<Result> {
  const filesOf = (title: string, folder: string, all: readonly Found[]): SourceFiles => {
    const files = all.map((file) => ({ ...file, bytes: () => tapped(file.path, onRead) }))
    return {
      ...{ title: title.normalize('NFC'), folder, all: files },
      find: (name) => files.find((file) => name.test(file.name)) ?? null,
    }
  }
  const found = await stat(path).catch(() => null)
  if (found === null) throw new ExchangeError(`${path} is not there`)
  const title = basename(path).replace(/(?<=.)(?:\.tar)?\.\w{1,5}$/, '')
  if (found.isDirectory()) return read(filesOf(basename(path), path, await below(path)))
  const kind = await kindOf(path)
  if (kind === null)
    return read(filesOf(title, join(path, '..'), [{ name: basename(path), size: found.size, path }]))
  return inFolder('source', async (folder) => {
    const names = new Map<string, string>()
    await unpack({ path, kind, size: found.size }, folder, (name) => {
      const target = targetOf(name, names.size)
      names.set(target, name)
      return target
    }).catch((error: unknown) => {
      throw unreadable(path, error)
    })
    const files = await below(folder)
    return read(
      filesOf(
        title,
        folder,
        files.map((file) => ({ ...file, name: names.get(file.name) ?? file.name })),
      ),
    )
  })
}

type Found = Omit<SourceFile, 'bytes'>

async function* tapped(path: string, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    onRead(chunk.length)
    yield chunk
  }
}

async function kindOf(path: string): Promise<'zip' | 'gzip' | null> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return KINDS.find(({ magic }) => buffer.subarray(0, magic.length).equals(magic))?.kind ?? null
  } finally {
    await file.close()
  }
}

/** Plain names are kept; of all others there is a number. */
const targetOf = (name: string, number: number) =>
  name.split('/').every((part) => /^\w[\w.-]{0,100}$/.test(part)) ? name : `unnamed/${number}`

/** Files below a folder, links not followed. */
async function below(folder: string): Promise<Found[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files: Found[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files.push({ name: path.slice(folder.length + 1).normalize('NFC'), size: (await stat(path)).size, path })
  }
  return files.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/**
 * The text of a file, in UTF-8 or UTF-16, piece by piece.
 * @throws ExchangeError when it is in another encoding
 */
export async function* textOf(file: SourceFile): AsyncGenerator<string> {
  let decoder: TextDecoder | null = null
  try {
    for await (const chunk of file.bytes()) {
      decoder ??= new TextDecoder(encodingOf(chunk), { fatal: true })
      yield decoder.decode(chunk, { stream: true })
    }
    if (decoder !== null) yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new ExchangeError(`${file.name} isn’t UTF-8 or UTF-16 text. Save it as UTF-8 and try again`, {
      cause: error,
    })
  }
}
