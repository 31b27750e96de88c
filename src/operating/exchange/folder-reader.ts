import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { z } from 'zod'
import { UPLOADS } from '../../kernel/limits.ts'
import { unpack } from '../foreign/archive.ts'
import { inFolder } from '../foreign/temporary-folder.ts'
import { ExchangeError, unreadable } from './exchange-error.ts'
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
  return inFolder('import', async (unpacked) => {
    await takeApart(path, found.size, unpacked)
    return read(await checked(unpacked))
  })
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
      return size === null || size > UPLOADS.fileBytes ? null : readFile(file)
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
  const line = fitting(schema, value, place)
  if (typeof value === 'object' && value !== null) onRead(value)
  return line
}

/** @throws ExchangeError with the place, and what of the value doesn't fit */
export function fitting<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: string,
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const member = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `
  throw new ExchangeError(`${place}: ${member}${issue?.message ?? 'it does not fit the schema'}`)
}

/** Members that are told apart: a hostile file may have a new one in each line. */
const MAX_UNKNOWN = 200

/** Counts the members that a shape doesn't have: `questions.jsonl: "colour"`. */
export function noteUnknown(
  counts: Map<string, number>,
  file: string,
  value: object,
  shape: Readonly<Record<string, unknown>>,
) {
  for (const member of Object.keys(value)) {
    if (member in shape) continue
    const own = `${file}: ${JSON.stringify(member.slice(0, 40))}`
    const name = counts.has(own) || counts.size < MAX_UNKNOWN ? own : 'other members'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
}

/** Only files of this format have a place. */
const NAME = /^(?:files\/)?[\w-]+(?:\.[\w-]+)*$/

async function takeApart(path: string, size: number, folder: string): Promise<void> {
  await unpack({ path, kind: 'zstd', size }, folder, (name) => {
    if (NAME.test(name)) return name
    throw new ExchangeError(`it has a file that no export has: ${JSON.stringify(name.slice(0, 80))}`)
  }).catch((error: unknown) => {
    throw unreadable(path, error)
  })
}
