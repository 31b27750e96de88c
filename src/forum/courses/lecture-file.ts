import { readFile } from 'node:fs/promises'
import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { type Message, translatorOf } from '../../messages/catalogue.ts'
import { hasForbidden, isBlank, lengthOf, normalize } from '../../text/characters.ts'
import { textOfTable } from '../../text/table-file.ts'
import type { LectureTitle } from './commands.ts'
import { type Columns, columnsNamedBy, delimiterOf } from './lecture-columns.ts'

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
/** Of a list with more faults the first ones are told. */
const MAX_FAULTS = 100

export interface ReadLectures {
  readonly lectures: LectureTitle[]
  /** The text says which position each has; otherwise they are numbered from 1 in their order. */
  readonly isNumbered: boolean
}

interface Line {
  readonly cells: readonly string[]
  /** From 1; of a cell of several lines the last. */
  readonly number: number
}

/**
 * Reads lectures from a CSV file: columns number and title, or title alone; a first line that names them is optional.
 * @throws LectureFileError whose message begins with the path
 */
export async function readLectures(path: string): Promise<LectureTitle[]> {
  try {
    const text = textOfTable(await readFile(path))
    if (text === null) throw new LectureFileError([{ key: 'lectures.file.notUtf8' }])
    return lecturesOf(linesOf(text, delimiterOf(text) ?? ',')).lectures
  } catch (error) {
    if (error instanceof Error) error.message = `${path}: ${error.message}`
    throw error
  }
}

/**
 * Reads lectures that were typed or pasted: titles, one a line; or, where the first line begins with a number or names the
 * columns, a table with commas, semicolons or tabs, as spreadsheets copy it.
 * @throws LectureFileError with every fault
 */
export function readLectureText(text: string): ReadLectures {
  const pasted = text.replace(/^\uFEFF/, '')
  const delimiter = delimiterOf(pasted)
  if (delimiter !== null) return lecturesOf(linesOf(pasted, delimiter))
  const titles = pasted.split('\n').map((cell, index) => ({ cells: [cell.trim()], number: index + 1 }))
  return lecturesOf(titles.filter(({ cells }) => cells[0] !== ''))
}

function linesOf(text: string, delimiter: string): Line[] {
  const lines: Line[] = []
  const keep = (cells: string[], { lines: number }: { readonly lines: number }) => {
    if (cells.some((cell) => cell !== '')) lines.push({ cells, number })
    return cells
  }
  try {
    parse(text, {
      delimiter,
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record: keep,
    })
    return lines
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new LectureFileError([{ key: 'lectures.file.broken', values: { reason: error.message } }])
  }
}

function lecturesOf(lines: readonly Line[]): ReadLectures {
  const [first] = lines
  // A line of one cell that has no other below it is a title.
  const named =
    first === undefined || (lines.length === 1 && first.cells.length === 1)
      ? null
      : columnsNamedBy(first.cells)
  const listed = named === null ? lines : lines.slice(1)
  const columns = named ?? unnamedColumns(first?.cells.length ?? 0)
  if (listed.length === 0) throw new LectureFileError([{ key: 'lectures.file.none' }])
  const faults: Message[] = []
  const seen = new Map<number, number>()
  const lectures: LectureTitle[] = []
  for (const [index, line] of listed.entries()) {
    const read = lectureOf(line, columns, index + 1)
    const earlier = 'title' in read ? seen.get(read.position) : undefined
    if ('key' in read) faults.push(read)
    else if (earlier !== undefined)
      faults.push(fault('twice', { line: line.number, position: read.position, earlier }))
    else {
      seen.set(read.position, line.number)
      lectures.push(read)
    }
    if (faults.length === MAX_FAULTS) break
  }
  if (faults.length > 0) throw new LectureFileError(faults)
  return { lectures, isNumbered: columns.position !== null }
}

function unnamedColumns(width: number): Columns {
  return width === 1 ? { position: null, title: 0, width: 1 } : { position: 0, title: 1, width: 2 }
}

/** The lecture of a line, or what is wrong with it. */
function lectureOf({ cells, number: line }: Line, columns: Columns, order: number): LectureTitle | Message {
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
