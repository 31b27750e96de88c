import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import type { z } from 'zod'
import { streamOf } from '../backup/archive-reader.ts'
import { ExchangeError } from './exchange-error.ts'
import {
  COURSE,
  type ExchangedCourse,
  fileOf,
  LINE_KINDS,
  LINES,
  type Line,
  type LineKind,
} from './format.ts'

/** A line with its number in its file, from 1. */
export interface Numbered<Kind extends LineKind> {
  readonly number: number
  readonly line: Line<Kind>
}

export interface ExchangeFolder {
  readonly course: ExchangedCourse
  /** Of all lines: the same export has the same. */
  readonly digest: Buffer
  /** How many lines each file has. */
  readonly counts: Readonly<Record<LineKind, number>>
  /** Members that the schema doesn't know → how many there are. */
  readonly unknown: ReadonlyMap<string, number>
  /** @param after the number of the last line that is not read */
  lines<Kind extends LineKind>(kind: Kind, after?: number): AsyncGenerator<Numbered<Kind>>
  /** @param path of a line of `files`. @returns null: it is not there */
  blob(path: string): Promise<Buffer | null>
}

/** Beyond this no line of an export goes, in characters. */
const MAX_LINE = 16 * 1024 * 1024
/** Of a picture, as of an upload. */
const MAX_BLOB = 12 * 1024 * 1024
const MAX_ENTRIES = 100_000
const MAX_ENTRY = 2 * 1024 * 1024 * 1024
/** How many times as large as the archive what is in it may be. */
const MAX_RATIO = 200

/**
 * Reads an export, a folder or a file that ends in `.tar.zst`, after all of it was checked.
 * @throws ExchangeError with file, line and reason
 */
export async function withExchange<Result>(
  path: string,
  read: (folder: ExchangeFolder) => Promise<Result>,
): Promise<Result> {
  const found = await stat(path).catch(() => null)
  if (found === null) throw new ExchangeError(`${path} is not there`)
  if (found.isDirectory()) return read(await checked(path))
  const unpacked = await mkdtemp(join(tmpdir(), 'handup-import-'))
  try {
    await unpack(path, found.size, unpacked)
    return await read(await checked(unpacked))
  } finally {
    await rm(unpacked, { recursive: true, force: true })
  }
}

async function checked(folder: string): Promise<ExchangeFolder> {
  const course = await courseOf(folder)
  const digest = createHash('sha256').update(JSON.stringify(course))
  const unknown = new Map<string, number>()
  const counts = Object.fromEntries(LINE_KINDS.map((kind) => [kind, 0])) as Record<LineKind, number>
  for (const kind of LINE_KINDS)
    for await (const { number } of linesOf(folder, kind, { digest, unknown })) counts[kind] = number
  return {
    course,
    digest: digest.digest(),
    counts,
    unknown,
    lines: async function* (kind, after = 0) {
      for await (const numbered of linesOf(folder, kind)) if (numbered.number > after) yield numbered
    },
    blob: async (path) => {
      const file = join(folder, path)
      const size = (await stat(file).catch(() => null))?.size ?? null
      return size === null || size > MAX_BLOB ? null : readFile(file)
    },
  }
}

async function courseOf(folder: string): Promise<ExchangedCourse> {
  const text = await readFile(join(folder, 'course.json'), 'utf8').catch(() => null)
  if (text === null) throw new ExchangeError(`${folder} has no course.json, which every export has`)
  return parsed(COURSE, text, 'course.json')
}

interface Noting {
  readonly digest: Hash
  readonly unknown: Map<string, number>
}

async function* linesOf<Kind extends LineKind>(
  folder: string,
  kind: Kind,
  noting?: Noting,
): AsyncGenerator<Numbered<Kind>> {
  const name = fileOf(kind)
  for await (const { number, text } of textLines(join(folder, name))) {
    const line = parsed(LINES[kind], text, `${name}, line ${number}`, (value) => {
      noting?.digest.update(text)
      if (noting !== undefined) noteUnknown(noting.unknown, name, value, LINES[kind].shape)
    })
    yield { number, line: line as Line<Kind> }
  }
}

/** A file that is not there has none. */
async function* textLines(path: string) {
  if ((await stat(path).catch(() => null)) === null) return
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let number = 0
  const refuse = (why: string) => new ExchangeError(`${basename(path)}, line ${number + 1}: ${why}`)
  const decoded = (chunk?: Buffer) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw refuse('it is not UTF-8')
    }
  }
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    const lines = (rest + decoded(chunk)).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE) throw refuse('it is longer than 16 MB')
    for (const line of lines) {
      number += 1
      if (line !== '') yield { number, text: line }
    }
  }
  rest += decoded()
  if (rest !== '') yield { number: number + 1, text: rest }
}

function parsed<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
  place: string,
  onRead: (value: object) => void = () => {},
): z.output<Schema> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ExchangeError(`${place}: it is not JSON`, { cause: error })
  }
  const result = schema.safeParse(value)
  if (!result.success) {
    const [issue] = result.error.issues
    const member = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `
    throw new ExchangeError(`${place}: ${member}${issue?.message ?? 'it does not fit the schema'}`)
  }
  if (typeof value === 'object' && value !== null) onRead(value)
  return result.data
}

function noteUnknown(
  counts: Map<string, number>,
  file: string,
  value: object,
  shape: Readonly<Record<string, unknown>>,
) {
  for (const member of Object.keys(value)) {
    if (member in shape) continue
    const name = `${file}: ${JSON.stringify(member.slice(0, 40))}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
}

/** Takes an archive apart. Links, devices and names that lead out of it are refused, and what is too much. */
async function unpack(path: string, size: number, folder: string): Promise<void> {
  try {
    await pipeline(createReadStream(path), createZstdDecompress(), async (source: AsyncIterable<Buffer>) => {
      const bounded = boundedBy(source, Math.max(size, 1024 * 1024) * MAX_RATIO)
      let entries = 0
      for await (const entry of streamOf(bounded).pipeThrough(createTarDecoder({ strict: true }))) {
        entries += 1
        if (entries > MAX_ENTRIES) throw new ExchangeError(`it has more than ${MAX_ENTRIES} entries`)
        await keepEntry(entry, folder)
      }
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ExchangeError(`${path} can’t be read: ${reason}`, { cause: error })
  }
}

async function* boundedBy(source: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > most) throw new ExchangeError(`it holds more than ${MAX_RATIO} times its size`)
    yield chunk
  }
}

/** Only files of this format have a place: none leads out of the folder. */
const NAME = /^(?:files\/)?[\w-]+(?:\.[\w-]+)*$/

async function keepEntry({ header, body }: ParsedTarEntry, folder: string): Promise<void> {
  const name = header.name.replace(/^\.\//, '').replace(/\/$/, '')
  if (header.type === 'directory') return body.cancel()
  const shown = JSON.stringify(header.name.slice(0, 80))
  if (header.type !== 'file')
    throw new ExchangeError(`it has a ${header.type}, ${shown}, where it may have files alone`)
  if (!NAME.test(name)) throw new ExchangeError(`it has a file that no export has: ${shown}`)
  if (header.size > MAX_ENTRY) throw new ExchangeError(`it has a file of more than 2 GB: ${shown}`)
  const target = join(folder, name)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await pipeline(body, createWriteStream(target, { flags: 'wx', mode: 0o600 }))
}
