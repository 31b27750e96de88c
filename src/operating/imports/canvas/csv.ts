import { pipeline, Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { ExchangeError } from '../../exchange/exchange-error.ts'
import { noteUnknown } from '../../exchange/folder-reader.ts'
import { cleanLine } from '../../foreign/clean-text.ts'
import { Discussions, type Hand, type Topic } from '../discussion.ts'
import { beginningOf, bytesOfTwo, unreadBeside } from '../json-files.ts'
import type { Conversion, Converted, Source } from '../source.ts'
import { countOf, personKey, plainHtml, timeIn } from '../source-fields.ts'
import { type SourceFile, type SourceFiles, textOf } from '../source-files.ts'
import { type CanvasIndex, canvasMarkdown } from './canvas-texts.ts'

/** The columns of the usual export tool for Canvas, and whether a table must have them. */
const COLUMNS = {
  ...{
    topic_id: true,
    topic_title: true,
    topic_message: false,
    topic_author_id: false,
    topic_author_name: false,
  },
  ...{ topic_created_at: false, topic_posted_at: false, post_author_id: false, post_author_name: false },
  ...{ post_id: true, post_parent_id: true, post_message: true, post_likes: false, post_timestamp: true },
} as const
type Column = keyof typeof COLUMNS
const NAMES = Object.keys(COLUMNS) as Column[]

interface Row {
  readonly line: number
  readonly cells: Readonly<Record<Column, string>>
}

/** Characters of a row. */
const MAX_ROW = 16 * 1024 * 1024
const MARKUP = /<\/?(?:p|div|span|br|ul|ol|li|h[1-6]|pre|code|table|blockquote|img|a|strong|em|b|i)\b[^>]*>/i

/**
 * A table of posts, one a row, with the columns that the usual export tool for Canvas writes. Untried against a live Canvas. Its deleted
 * posts at the top are missing with their replies.
 */
export const CSV: Source = {
  name: 'csv',
  async recognizes(files) {
    const file = tableOf(files)
    if (file === null) return false
    const head = (await beginningOf(file)).split(/\r?\n/, 1)[0] ?? ''
    return NAMES.filter((name) => COLUMNS[name]).every((name) => head.toLowerCase().includes(name))
  },
  bytesOf(files) {
    const file = tableOf(files)
    return file === null ? 0 : bytesOfTwo([file])
  },
  async convert(conversion) {
    const file = tableOf(conversion.files)
    if (file === null)
      throw new ExchangeError(`${conversion.files.folder} has no table: a file that ends in .csv`)
    const index: CanvasIndex = { topics: new Set(), entries: new Map() }
    for await (const { cells } of rowsOf(file, new Map())) {
      index.topics.add(cells.topic_id)
      if (cells.post_id !== '') index.entries.set(cells.post_id, isAtTop(cells) ? 'answer' : 'reply')
    }
    return new TableConverter(conversion, file, index).run()
  },
}

const tableOf = (files: SourceFiles) => files.find(/^(?!.*__MACOSX).*\.(?:csv|tsv)$/i)

/** A topic and a post can have the same number: what is below the topic has that of the topic as its parent's. */
const isAtTop = ({ post_parent_id, topic_id }: Row['cells']) =>
  post_parent_id === '' || post_parent_id === topic_id

class TableConverter {
  readonly #conversion: Conversion
  readonly #file: SourceFile
  readonly #index: CanvasIndex
  readonly #origin: string

  constructor(conversion: Conversion, file: SourceFile, index: CanvasIndex) {
    this.#conversion = conversion
    this.#file = file
    this.#index = index
    this.#origin = conversion.origin ?? conversion.files.title
  }

  async run(): Promise<Converted> {
    const discussions = new Discussions(this.#conversion)
    await discussions.write(this.#topics())
    await discussions.end('csv', this.#origin)
    return {
      asks: this.#index.topics.size > 0 ? ['groups'] : [],
      unread: unreadBeside(this.#conversion.files, [this.#file]),
    }
  }

  async *#topics(): AsyncGenerator<Topic> {
    const seen = new Set<string>()
    let rows: Row[] = []
    for await (const row of rowsOf(this.#file, this.#conversion.unknown)) {
      const { topic_id: id } = row.cells
      if (id !== rows[0]?.cells.topic_id) {
        yield* this.#topic(rows)
        rows = []
        if (seen.has(id))
          throw this.#refused(row, `the rows of topic ${id} are apart: sort the table by topic_id`)
        seen.add(id)
      }
      rows.push(row)
    }
    yield* this.#topic(rows)
  }

  *#topic(rows: readonly Row[]): Generator<Topic> {
    const [first] = rows
    if (first === undefined) return
    const { cells } = first
    const posted = cells.topic_posted_at || cells.topic_created_at
    yield {
      ...{ id: cells.topic_id, title: cells.topic_title, tags: [], category: null },
      at: this.#time(
        first,
        posted === ''
          ? 'post_timestamp'
          : cells.topic_posted_at === ''
            ? 'topic_created_at'
            : 'topic_posted_at',
      ),
      hand: this.#handOf(cells.topic_author_id, cells.topic_author_name),
      ...{ isPrivate: false, isHeld: this.#conversion.choices.groups === 'hold', isDeleted: false },
      ...{ votes: 0, views: 0, acceptedAnswer: null, duplicateOf: null },
      body: () => this.#markdown(cells.topic_message),
      entries: rows.filter((row) => row.cells.post_id !== '').map((row) => this.#entry(row)),
    }
  }

  #entry(row: Row): Topic['entries'][number] {
    const { cells } = row
    return {
      ...{ id: cells.post_id, parent: isAtTop(cells) ? null : cells.post_parent_id, top: 'answer' },
      at: this.#time(row, 'post_timestamp'),
      hand: this.#handOf(cells.post_author_id, cells.post_author_name),
      votes: countOf(/^\d{1,9}$/.test(cells.post_likes) ? Number(cells.post_likes) : 0),
      ...{ isEndorsed: false, isDeleted: false },
      body: () => this.#markdown(cells.post_message),
    }
  }

  #handOf(id: string, given: string): Hand {
    const name = cleanLine(given)
    if (name === '') return 'gone'
    return { openly: { id: id === '' ? personKey(this.#origin, name) : id, name } }
  }

  #markdown(text: string): Promise<string> {
    return canvasMarkdown(MARKUP.test(text) ? text : plainHtml(text), this.#index, this.#conversion)
  }

  #time(row: Row, column: Column): Date {
    const text = row.cells[column]
    const time = timeIn(text)
    if (time === null)
      throw this.#refused(row, `${column}: ${JSON.stringify(text.slice(0, 40))} is not a time`)
    return time
  }

  #refused({ line }: Row, why: string): ExchangeError {
    return new ExchangeError(`${this.#file.name}, line ${line}: ${why}`)
  }
}

/** @throws ExchangeError with file, line and reason */
async function* rowsOf(file: SourceFile, unknown: Map<string, number>): AsyncGenerator<Row> {
  const delimiter = delimiterOf((await beginningOf(file)).split(/\r?\n/, 1)[0] ?? '')
  const parser = parse({ delimiter, info: true, bom: true, skip_empty_lines: true, max_record_size: MAX_ROW })
  const refused = (line: number, why: string) => new ExchangeError(`${file.name}, line ${line}: ${why}`)
  let heads: Map<Column, number> | null = null
  try {
    // What stops the one stops the other, and is thrown where rows are read.
    pipeline(Readable.from(textOf(file)), parser, () => {})
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[]
      info: { lines: number }
    }>) {
      if (heads === null) {
        heads = headsOf(record, file, unknown)
        continue
      }
      const at = heads
      const cells = Object.fromEntries(
        NAMES.map((name) => [name, (record[at.get(name) ?? -1] ?? '').trim()]),
      ) as Record<Column, string>
      for (const name of [
        'topic_id',
        'post_id',
        'post_parent_id',
        'topic_author_id',
        'post_author_id',
      ] as const)
        if (/\s/.test(cells[name]) || cells[name].length > 100)
          throw refused(info.lines, `${name}: it is no id`)
      if (cells.topic_id === '') throw refused(info.lines, 'topic_id: it is empty')
      yield { line: info.lines, cells }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw refused(Number(error.lines ?? 1), error.message.replace(/ (?:on|at) line \d+/, ''))
  }
  if (heads === null) throw refused(1, 'it is empty')
}

/** Spreadsheets of some languages save semicolons. */
const delimiterOf = (head: string) =>
  [',', ';', '\t'].reduce((best, one) => (head.split(one).length > head.split(best).length ? one : best))

function headsOf(
  record: readonly string[],
  file: SourceFile,
  unknown: Map<string, number>,
): Map<Column, number> {
  const heads = new Map<Column, number>()
  for (const [index, given] of record.entries()) {
    const name = NAMES.find((column) => column === given.trim().toLowerCase())
    if (name !== undefined) heads.set(name, index)
    else noteUnknown(unknown, file.name, { [given]: true }, {})
  }
  const missing = NAMES.find((name) => COLUMNS[name] && !heads.has(name))
  if (missing !== undefined) throw new ExchangeError(`${file.name}, line 1: it has no column ${missing}`)
  return heads
}
