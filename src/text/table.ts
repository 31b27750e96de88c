import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { bare } from './characters.ts'

/** What a table is about. Cells are without blanks and format characters at their ends. */
export interface TableSubject {
  /** Whether these cells name the columns. @param index among the rows of the text */
  isHead(cells: readonly string[], index: number): boolean
  /** Whether these cells look like a row, where nothing else says that the text is a table. */
  isRow(cells: readonly string[]): boolean
}

export interface TableRow {
  readonly cells: readonly string[]
  /** Where it begins, from 1; a cell may have several lines. */
  readonly line: number
  readonly text: string
}

/** Rows below a head. An export may have several, after a blank line each. */
export interface TableSection {
  /** null: nothing names the columns. */
  readonly head: TableRow | null
  readonly rows: TableRow[]
}

export interface Table {
  /** Titles above the first head. */
  readonly above: readonly TableRow[]
  readonly sections: readonly TableSection[]
  /** The line that names the delimiter, as Excel reads it, with its line break; empty: none. */
  readonly separator: string
}

/** A quote opens on this line and doesn't close where a cell ends: nobody knows where the rows after it begin. */
export class OpenQuote extends Error {
  readonly line: number

  constructor(line: number) {
    super(`the quote that opens on line ${line} doesn't close`)
    this.line = line
  }
}

/** It has more rows than anything that is read of a table. */
export class TooManyRows extends Error {}

const MAX_ROWS = 25_000
/** Those that are rarer in text first. */
const DELIMITERS = ['\t', ';', '|', ','] as const
/** A head is one of so many first lines of a text, or after a blank one: titles may stand above it. */
const HEAD_WITHIN = 5
const SEPARATOR = /^"?sep=(.)"?[,;\t]*\n/i

/** Text in UTF-8 or UTF-16, with or without byte order mark, as spreadsheets save it; null: no such text. */
export function textOfTable(bytes: Uint8Array): string | null {
  try {
    // A byte order mark is taken off by the decoder.
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

/** By its byte order mark, or where its first character has a zero. */
export function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  // Without a mark: a table begins with a letter, a digit or a quote, which have a zero beside them in UTF-16.
  if (first !== 0 && second === 0) return 'utf-16le'
  return first === 0 && second !== 0 ? 'utf-16be' : 'utf-8'
}

/**
 * Reads a text as a table (RFC 4180, and what spreadsheets and course systems make of it): with commas, semicolons, tabs or bars,
 * quotes, line breaks in cells, titles above the head. It is one where a line near the top of it names columns, where most lines
 * have the same number of cells and look like rows, or where that is known.
 * @param isKnown that it is a table, as by the name of its file
 * @returns null: it is none
 * @throws OpenQuote, TooManyRows
 */
export function readTable(text: string, subject: TableSubject, isKnown: boolean): Table | null {
  const whole = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const [separator = '', named] = SEPARATOR.exec(whole) ?? []
  // A blank line keeps the numbers of the others.
  const body = separator === '' ? whole : `\n${whole.slice(separator.length)}`
  const split = splitBest(body, subject, named, isKnown)
  if (split === null) return null
  if (split.open !== null) throw new OpenQuote(split.open)
  return { ...sectionsOf(split.rows, subject), separator }
}

interface Split {
  /** Blank ones are there, too. */
  readonly rows: readonly TableRow[]
  /** The line of a quote that doesn't close: the rows end before it. */
  readonly open: number | null
  /** How many rows have the same number of cells, and what else is asked of them; 0: fewer than half. */
  alike(isRow: TableSubject['isRow']): number
}

function splitBest(body: string, subject: TableSubject, named: string | undefined, isKnown: boolean) {
  if (named !== undefined) return splitBy(body, named)
  const found = DELIMITERS.filter((one) => body.includes(one))
  const splits: Split[] = []
  for (const delimiter of found.length === 0 ? [','] : found) {
    const split = splitBy(body, delimiter)
    if (sectionsOf(split.rows, subject).sections.some(({ head }) => head !== null)) return split
    splits.push(split)
  }
  const best = (isRow: TableSubject['isRow']) => {
    const counted = splits.map((split) => ({ split, count: split.alike(isRow) }))
    const [first] = counted.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count)
    return first?.split ?? null
  }
  const table = best(subject.isRow)
  if (table !== null || !isKnown) return table
  return best(() => true) ?? splits.at(-1) ?? null
}

/** Splits a text into rows, as far as its quotes close. @param trim blanks behind a quote are none of its cell's text */
function splitBy(body: string, delimiter: string, trim = true): Split {
  const lines = body.split('\n')
  const rows: TableRow[] = []
  let [end, filled] = [0, 0]
  let open: number | null = null
  const keep = (cells: string[], { lines: last }: { readonly lines: number }) => {
    const text = lines.slice(end, last).join('\n')
    // A quote in the middle of a cell is text; one that joins lines has to be written as it should.
    const opens = last > end + 1 && open === null ? openQuote(text, delimiter) : null
    if (opens !== null) open = end + opens
    const row = { cells: cells.map(bare), line: end + 1, text }
    if (!isBlankRow(row.cells)) filled += 1
    if (filled > MAX_ROWS) throw new TooManyRows()
    if (open === null) rows.push(row)
    end = last
    return null
  }
  const relaxed = { record_delimiter: '\n', relax_quotes: true, relax_column_count: true }
  try {
    parse(body, { ...relaxed, delimiter, ltrim: true, rtrim: trim, on_record: keep })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (error.code === 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE') return splitBy(body, delimiter, false)
    if (error.code !== 'CSV_QUOTE_NOT_CLOSED') throw error
    open ??= end + (openQuote(lines.slice(end).join('\n'), delimiter) ?? 1)
  }
  // Where quotes don't say what a row is, a line is one.
  const counted =
    open === null ? rows.map(({ cells }) => cells) : lines.map((line) => line.split(delimiter).map(bare))
  return { rows, open, alike: (isRow) => alike(counted, isRow) }
}

function alike(rows: readonly (readonly string[])[], isRow: TableSubject['isRow']): number {
  const filled = rows.filter((cells) => !isBlankRow(cells))
  const [most = []] = [...Map.groupBy(filled, ({ length }) => length)]
    .filter(([width]) => width > 1)
    // The first may name the columns in words that nobody knows.
    .map(([, same]) => (same.some(isRow) ? same.filter((cells, at) => at === 0 || isRow(cells)) : []))
    .sort((one, other) => other.length - one.length)
  return most.length * 2 > filled.length ? most.length : 0
}

/** The line, from 1, of the first quote that begins a cell and doesn't end one; null: none. */
function openQuote(text: string, delimiter: string): number | null {
  const ends = ['\n', delimiter, undefined]
  let [line, opened, isQuoted, isBegun] = [1, 1, false, false]
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]
    if (letter === '\n') line += 1
    if (isQuoted && letter === '"' && text[at + 1] === '"') at += 1
    else if (isQuoted && letter === '"') {
      isQuoted = false
      while (text[at + 1] === ' ') at += 1
      if (!ends.includes(text[at + 1])) return opened
    } else if (!isQuoted && letter === '"' && !isBegun) [isQuoted, isBegun, opened] = [true, true, line]
    else if (!isQuoted) isBegun = !ends.includes(letter) && (isBegun || letter !== ' ')
  }
  return isQuoted ? opened : null
}

function sectionsOf(rows: readonly TableRow[], { isHead }: TableSubject): Pick<Table, 'above' | 'sections'> {
  const sections: TableSection[] = []
  const above: TableRow[] = []
  let [since, count] = [0, 0]
  for (const row of rows) {
    const last = sections.at(-1)
    if (isBlankRow(row.cells)) since = 0
    else if (since < HEAD_WITHIN && isHead(row.cells, count)) {
      // Of a further head, what stands after the blank line is the title.
      if (last !== undefined)
        above.push(...last.rows.splice(last.head === null ? 0 : last.rows.length - since))
      if (last?.head === null) sections.pop()
      sections.push({ head: row, rows: [] })
      since = HEAD_WITHIN
      count += 1
    } else {
      if (last === undefined) sections.push({ head: null, rows: [row] })
      else last.rows.push(row)
      since += 1
      count += 1
    }
  }
  return { above, sections }
}

const isBlankRow = (cells: readonly string[]) => cells.every((cell) => cell === '')

/** The cells of one line that is no table's, without quotes around them. A delimiter between quotes is text. */
export function cellsOf(line: string, delimiters: string): string[] {
  const cells: string[] = []
  let [cell, isQuoted] = ['', false]
  for (const letter of line) {
    if (letter === '"') isQuoted = !isQuoted
    if (!isQuoted && delimiters.includes(letter)) {
      cells.push(cell)
      cell = ''
    } else cell += letter
  }
  cells.push(cell)
  const text = (one: string) =>
    bare(one)
      .replace(/^"(.*)"$/s, '$1')
      .replaceAll('""', '"')
  return cells.map((one) => (one.includes('"') ? text(one) : bare(one)))
}
