import { basename } from 'node:path'
import { SaxesParser } from 'saxes'
import { ExchangeError } from '../exchange/exchange-error.ts'
import { timeIn } from './source-fields.ts'
import type { SourceFile, SourceFiles } from './source-files.ts'

const REQUIRED = { users: 'Users.xml', posts: 'Posts.xml', comments: 'Comments.xml' } as const
const OPTIONAL = { posthistory: 'PostHistory.xml', postlinks: 'PostLinks.xml' } as const

/** The files of a dump that are read, by their root elements. */
export type DumpFile = keyof typeof REQUIRED | keyof typeof OPTIONAL

export type DumpFolder = ReturnType<typeof openDump>

/**
 * Checks which files exist before anything is read.
 * @returns `unread`: files that are not read, as the forum has no equivalent of what they hold; `size` of a file in bytes; `rows` of a
 * file, from the beginning on each call. A file that the dump does not have has size 0 and no rows.
 * @throws DumpError when a required file is missing
 */
export function openDump(files: SourceFiles) {
  const found = new Map<DumpFile, SourceFile>()
  for (const [file, name] of entriesOf({ ...REQUIRED, ...OPTIONAL })) {
    const known = fileNamed(files, name)
    if (known !== null) found.set(file, known)
    else if (file in REQUIRED) throw new DumpError(`${files.folder} has no ${name}, which every dump has`)
  }
  const read = new Set<string>(Object.values({ ...REQUIRED, ...OPTIONAL }))
  const names = files.all.map(({ name }) => basename(name))
  return {
    unread: names.filter((name) => name.endsWith('.xml') && !read.has(name)).sort(),
    size: (file: DumpFile) => found.get(file)?.size ?? 0,
    rows: (file: DumpFile): AsyncIterable<DumpRow> => {
      const known = found.get(file)
      return known === undefined || (known.size === 0 && file in OPTIONAL) ? none() : dumpRows(known, file)
    },
  }
}

export const isDump = (files: SourceFiles): boolean =>
  Object.values(REQUIRED).every((name) => fileNamed(files, name) !== null)

/** In the folder itself, or in the one folder of an archive. */
const fileNamed = ({ all }: SourceFiles, wanted: string): SourceFile | null =>
  all.find(({ name }) => name === wanted) ??
  all.find(({ name }) => /^[^/]+\/[^/]+$/.test(name) && basename(name) === wanted) ??
  null

function entriesOf<Files extends object>(files: Files): [keyof Files, string][] {
  return Object.entries(files) as [keyof Files, string][]
}

async function* none(): AsyncGenerator<DumpRow> {}

/** A dump that cannot be read: `message` is one line naming the file and, where there is one, the line. */
export class DumpError extends ExchangeError {}

const INTEGER = /^-?\d{1,15}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,7})?$/
const INT4_MAX = 2_147_483_647
/** The attributes of one `<row …/>`, parsed as the types of the dump's format. */
export class DumpRow {
  readonly #attributes: Readonly<Record<string, string>>
  readonly #file: string
  readonly #line: number

  constructor(attributes: Readonly<Record<string, string>>, file: string, line: number) {
    this.#attributes = attributes
    this.#file = file
    this.#line = line
  }

  /** null: the row has no such attribute. */
  text(name: string): string | null {
    return this.#attributes[name] ?? null
  }

  requiredText(name: string): string {
    return this.text(name) ?? this.#fail(`has no ${name}`)
  }

  /** An id, or the number of a type. */
  id(name: string): number {
    return this.optionalId(name) ?? this.#fail(`has no ${name}`)
  }

  optionalId(name: string): number | null {
    const text = this.text(name)
    if (text === null || text === '') return null
    return INTEGER.test(text)
      ? Number(text)
      : this.#fail(`has ${name}="${excerpt(text)}", which is not a number`)
  }

  /** A score or a count within the database's range; 0 when it is absent. */
  count(name: string): number {
    const count = this.optionalId(name) ?? 0
    return Math.abs(count) <= INT4_MAX ? count : this.#fail(`has ${name}="${count}", which is too large`)
  }

  /** Dumps give times in UTC without a suffix. */
  time(name: string): Date {
    return this.optionalTime(name) ?? this.#fail(`has no ${name}`)
  }

  optionalTime(name: string): Date | null {
    const text = this.text(name)
    if (text === null || text === '') return null
    return timeOf(text) ?? this.#fail(`has ${name}="${excerpt(text)}", which is not a time`)
  }

  #fail(what: string): never {
    throw new DumpError(`${this.#file}, line ${this.#line}: the row ${what}`)
  }
}

/** A dump's times have no zone. */
const timeOf = (text: string): Date | null => (TIME.test(text) ? timeIn(text) : null)

/** The beginning of a bad value, for an error message; JSON quoting keeps it on one line. */
function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 40)).slice(1, -1)
}

/** Maximum length of a row in characters: bodies end at 30,000, so only a broken file reaches it. */
const MAX_ROW_LENGTH = 16 * 1024 * 1024

/**
 * Reads a dump's file row by row. Holds one chunk of the file and its rows in memory.
 * @param root the element around the rows, e.g. `posts`
 * @throws DumpError naming file and line: not XML, not UTF-8, truncated, another kind of file, or with a DOCTYPE
 *   (refused because its entities may be hostile: ASVS 1.5.1)
 */
export async function* dumpRows(
  file: Pick<SourceFile, 'name' | 'bytes'>,
  root: string,
): AsyncGenerator<DumpRow> {
  const parser = new RowParser(basename(file.name), root)
  for await (const chunk of file.bytes()) yield* parser.read(chunk)
  yield* parser.end()
}

class RowParser {
  readonly #file: string
  readonly #root: string
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  readonly #parser = new SaxesParser()
  #rows: DumpRow[] = []
  #depth = 0
  #sinceRow = 0

  constructor(file: string, root: string) {
    this.#file = file
    this.#root = root
    this.#parser.on('error', (error) => this.#fail(reasonOf(error)))
    this.#parser.on('doctype', () => this.#fail('it has a DOCTYPE, which no dump has'))
    this.#parser.on('opentag', ({ name, attributes }) => this.#open(name, attributes))
    this.#parser.on('closetag', () => {
      this.#depth -= 1
    })
  }

  read(chunk: Buffer): DumpRow[] {
    this.#sinceRow += chunk.length
    this.#parser.write(this.#decode(chunk))
    if (this.#sinceRow > MAX_ROW_LENGTH) this.#fail('a row is longer than 16 MB')
    return this.#take()
  }

  end(): DumpRow[] {
    this.#parser.write(this.#decode())
    this.#parser.close()
    return this.#take()
  }

  #take(): DumpRow[] {
    const rows = this.#rows
    this.#rows = []
    return rows
  }

  #open(name: string, attributes: Record<string, string>): void {
    this.#depth += 1
    if (this.#depth === 1 && name !== this.#root)
      this.#fail(`it begins with <${name}> where a dump has <${this.#root}>`)
    if (this.#depth === 2 && name === 'row') {
      this.#sinceRow = 0
      this.#rows.push(new DumpRow(attributes, this.#file, this.#parser.line))
    } else if (this.#depth > 1) this.#fail(`it has a <${name}> where a dump has only rows`)
  }

  #decode(chunk?: Buffer): string {
    try {
      return this.#decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      return this.#fail('it is not UTF-8')
    }
  }

  #fail(reason: string): never {
    throw new DumpError(`${this.#file}, line ${this.#parser.line}: ${reason}`)
  }
}

/** The message of saxes without its position prefix and in plainer words. */
export function reasonOf({ message }: Error): string {
  const reason = message.replace(/^(?:.*?:)?\d+:\d+: /, '').replace(/\.$/, '')
  if (/^unclosed tag|^unexpected end|^document must contain a root element/.test(reason))
    return `it is cut off (${reason})`
  return `it is not well-formed XML (${reason})`
}
