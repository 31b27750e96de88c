import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { SaxesParser } from 'saxes'
import { DumpError } from './dump-error.ts'
import { DumpRow } from './dump-row.ts'

/** Maximum length of a row in characters: bodies end at 30,000, so only a broken file reaches it. */
const MAX_ROW_LENGTH = 16 * 1024 * 1024

/**
 * Reads a dump's file row by row. Holds one chunk of the file and its rows in memory.
 * @param root the element around the rows, e.g. `posts`
 * @param onBytes called with the number of bytes of each read
 * @throws DumpError naming file and line: not XML, not UTF-8, truncated, another kind of file, or with a DOCTYPE
 *   (refused because its entities may be hostile: ASVS 1.5.1)
 */
export async function* dumpRows(
  path: string,
  root: string,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<DumpRow> {
  const parser = new RowParser(basename(path), root)
  for await (const chunk of chunksOf(path)) {
    onBytes(chunk.length)
    yield* parser.read(chunk)
  }
  yield* parser.end()
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error
    throw new DumpError(`${basename(path)} cannot be read: ${error.message}`, { cause: error })
  }
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
function reasonOf({ message }: Error): string {
  const reason = message.replace(/^(?:.*?:)?\d+:\d+: /, '').replace(/\.$/, '')
  if (/^unclosed tag|^unexpected end|^document must contain a root element/.test(reason))
    return `it is cut off (${reason})`
  return `it is not well-formed XML (${reason})`
}
