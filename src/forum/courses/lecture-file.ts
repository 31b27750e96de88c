import { readFile } from 'node:fs/promises'
import { type Message, translatorOf } from '../../messages/catalogue.ts'
import { hasForbidden, isBlank, lengthOf, normalize } from '../../text/characters.ts'
import {
  OpenQuote,
  readTable,
  type TableRow,
  type TableSection,
  TooManyRows,
  textOfTable,
} from '../../text/table.ts'
import { Task } from '../../text/thread/thread.ts'
import type { LectureTitle } from './commands.ts'

/** Lectures that can't be read: every fault says which line and why, in any language; `message` in English, for a terminal. */
export class LectureFileError extends Error {
  readonly faults: readonly Message[]

  constructor(faults: readonly Message[]) {
    const [first, ...others] = faults.map(({ key, values }) => translatorOf('en')(key, values))
    super([first, ...others.slice(0, 9), ...(others.length > 9 ? ['…'] : [])].join('; '))
    this.faults = faults
  }
}

/** As the constraints of the table lectures have it. */
const TITLE_LENGTH = 150
/** Of a lecture. A position is a number in addresses, too. */
export const LAST_POSITION = 999_999
/** As many as a course may have. */
export const MAX_LECTURES = 1000
/** Of a list with more faults the first ones are told. */
const MAX_FAULTS = 100

export interface ReadLectures {
  readonly lectures: LectureTitle[]
  /** The text says which position each has; otherwise they are numbered from 1 in their order. */
  readonly isNumbered: boolean
}

const TABLE = {
  // A single cell may be a title, unless it is the first one.
  isHead: (cells: readonly string[], index: number) =>
    (cells.length > 1 || index === 0) && columnsNamedBy(cells) !== null,
  isRow: ([first = '']: readonly string[]) => /^#?\d+[.강]?$/u.test(first),
}

/**
 * Reads lectures from a CSV file: columns number and title, or title alone; a line that names them is
 * optional.
 * @throws LectureFileError whose message begins with the path
 */
export async function readLectures(path: string): Promise<LectureTitle[]> {
  try {
    const text = textOfTable(await readFile(path))
    if (text === null) throw new LectureFileError([{ key: 'lectures.file.notUtf8' }])
    return readLectureText({ text, isTable: true }).lectures
  } catch (error) {
    if (error instanceof Error) error.message = `${path}: ${error.message}`
    throw error
  }
}

export interface LectureText {
  readonly text: string
  /** It is known to be a table. */
  readonly isTable: boolean
}

/**
 * Reads lectures: titles, one a line, or a table in which they may have numbers.
 * @throws LectureFileError with every fault
 */
export function readLectureText({ text, isTable }: LectureText): ReadLectures {
  const table = tableIn(text, isTable)
  if (table !== null) return lecturesOf(table)
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)
  const rows = lines.map((line, index) => ({ cells: [line.trim()], line: index + 1, text: line }))
  return lecturesOf([{ head: null, rows: rows.filter(({ cells }) => cells[0] !== '') }])
}

/** UTF-16 units of a text that is read where it stands: one of 2 MB takes seconds. */
const MAX_AT_ONCE = 10_000
const reading = new Task<typeof readOrFaults>(import.meta.url, 'readOrFaults')

/** Reads lectures of any length (readLectureText), long ones in a thread. @throws LectureFileError, NotDone */
export async function readLongLectures(sent: LectureText): Promise<ReadLectures> {
  if (sent.text.length <= MAX_AT_ONCE) return readLectureText(sent)
  const read = await reading.call(sent)
  if ('faults' in read) throw new LectureFileError(read.faults)
  return read
}

/** For the thread, from which no error of a class of ours comes through. */
export function readOrFaults(sent: LectureText): ReadLectures | { readonly faults: readonly Message[] } {
  try {
    return readLectureText(sent)
  } catch (error) {
    if (error instanceof LectureFileError) return { faults: error.faults }
    throw error
  }
}

function tableIn(text: string, isTable: boolean): readonly TableSection[] | null {
  try {
    return readTable(text, TABLE, isTable)?.sections ?? null
  } catch (error) {
    if (error instanceof TooManyRows)
      throw new LectureFileError([{ key: 'lectures.many', values: { max: MAX_LECTURES } }])
    if (!(error instanceof OpenQuote)) throw error
    throw new LectureFileError([{ key: 'forms.table.quote', values: { line: error.line } }])
  }
}

function lecturesOf(sections: readonly TableSection[]): ReadLectures {
  const faults: Message[] = []
  const seen = new Map<number, number>()
  const lectures: LectureTitle[] = []
  let isNumbered = false
  for (const { head, rows } of sections) {
    const named = head === null ? null : columnsNamedBy(head.cells)
    // A single cell that has no other below it is a title.
    const listed = head?.cells.length === 1 && rows.length === 0 ? [head] : rows
    const columns = named !== null && listed === rows ? named : unnamedColumns(listed[0]?.cells.length ?? 0)
    isNumbered ||= columns.position !== null
    for (const row of listed) {
      const read = lectureOf(row, columns, lectures.length + 1)
      const earlier = 'title' in read ? seen.get(read.position) : undefined
      if ('key' in read) faults.push(read)
      else if (earlier !== undefined)
        faults.push(fault('twice', { line: row.line, position: read.position, earlier }))
      else {
        seen.set(read.position, row.line)
        lectures.push(read)
      }
      if (faults.length === MAX_FAULTS) throw new LectureFileError(faults)
    }
  }
  if (faults.length > 0) throw new LectureFileError(faults)
  if (lectures.length === 0) throw new LectureFileError([{ key: 'lectures.file.none' }])
  return { lectures, isNumbered }
}

function unnamedColumns(width: number): Columns {
  return width === 1 ? { position: null, title: 0, width: 1 } : { position: 0, title: 1, width: 2 }
}

function lectureOf({ cells, line }: TableRow, columns: Columns, order: number): LectureTitle | Message {
  if (cells.length !== columns.width)
    return fault('width', { line, found: cells.length, columns: columns.width })
  const position = columns.position === null ? order : positionOf(cells[columns.position] ?? '')
  if (position === null) {
    const cell = cells[columns.position ?? 0] ?? ''
    return fault('position', { line, cell: cell.slice(0, 40) })
  }
  const title = normalize(cells[columns.title] ?? '').replace(/\s+/gu, ' ')
  if (hasForbidden(title, { multiline: false })) return fault('control', { line })
  if (isBlank(title)) return fault('noTitle', { line })
  const length = lengthOf(title)
  return length <= TITLE_LENGTH ? { position, title } : fault('long', { line, length, max: TITLE_LENGTH })
}

/** null: it is no position. "3." and "#3" are 3. */
function positionOf(cell: string): number | null {
  const digits = /^#?(\d{1,7})[.강]?$/u.exec(cell)?.[1]
  const position = Number(digits ?? 0)
  return position >= 1 && position <= LAST_POSITION ? position : null
}

function fault(name: string, values: Message['values']): Message {
  const key = `lectures.file.${name}`
  return values === undefined ? { key } : { key, values }
}

/** Which cell of a line is what; without positions lectures are numbered in their order. */
interface Columns {
  readonly position: number | null
  readonly title: number
  /** Cells of a line. */
  readonly width: number
}

/** What spreadsheets and course systems call the two columns, in English and Korean. */
const POSITION = ['number', 'no', 'no.', 'nr', 'nr.', '#', 'position', 'lecture number', 'lecture no']
const KOREAN_POSITION = ['번호', '순서', '순번', '차시', '회차', '강']
const TITLE = ['title', 'lecture', 'name', 'lecture title', 'lecture name', 'topic']
const KOREAN_TITLE = ['제목', '수업', '수업명', '수업 제목', '강의', '강의명', '강의 제목', '이름', '주제']

const POSITIONS: ReadonlySet<string> = new Set([...POSITION, ...KOREAN_POSITION])
const TITLES: ReadonlySet<string> = new Set([...TITLE, ...KOREAN_TITLE])

/**
 * Columns in any order, by a first line that names them: a title, a position where there is one, and others,
 * which are not read.
 * @returns null when the line names no columns: it is a lecture then
 */
function columnsNamedBy(cells: readonly string[]): Columns | null {
  const names = cells.map((cell) => cell.normalize('NFC').trim().toLowerCase())
  const position = names.findIndex((name) => POSITIONS.has(name))
  const title = names.findIndex((name) => TITLES.has(name))
  if (title < 0 || (position < 0 && names.length > 1)) return null
  return { position: position < 0 ? null : position, title, width: names.length }
}
