import { readFile } from 'node:fs/promises'
import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { hasForbidden, isBlank, lengthOf, normalize } from '../../text/characters.ts'
import type { LectureTitle } from './commands.ts'

/** A file of lectures that cannot be used: `message` is one line that names the file and the line in it. */
export class LectureFileError extends Error {}

/** As the constraints of the table lectures have it; a position is a number in addresses, too. */
const TITLE_LENGTH = 150
const LAST_POSITION = 1_000_000

interface Line {
  readonly cells: readonly string[]
  /** From 1; of a cell of several lines the last. */
  readonly number: number
}

/** Which cell is what; without positions lectures are numbered in their order. */
interface Columns {
  readonly position: number | null
  readonly title: number
}

/**
 * Reads lectures from a CSV file: columns position and title, or title alone; a first line that names them is optional.
 * @throws LectureFileError
 */
export async function readLectures(path: string): Promise<LectureTitle[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new LectureFileError(error instanceof Error ? error.message : String(error))
  })
  try {
    return lecturesOf(linesOf(decode(bytes)))
  } catch (error) {
    if (!(error instanceof LectureFileError)) throw error
    throw new LectureFileError(`${path}: ${error.message}`)
  }
}

function decode(bytes: Buffer): string {
  try {
    // Spreadsheets begin a UTF-8 file with a byte order mark, which the decoder takes off.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new LectureFileError('is not UTF-8; in a spreadsheet, save it as "CSV UTF-8"')
  }
}

function linesOf(text: string): Line[] {
  const lines: Line[] = []
  const keep = (cells: string[], { lines: number }: { readonly lines: number }) => {
    if (cells.some((cell) => cell !== '')) lines.push({ cells, number })
    return cells
  }
  try {
    parse(text, { relax_column_count: true, skip_empty_lines: true, trim: true, on_record: keep })
    return lines
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new LectureFileError(error.message)
  }
}

function lecturesOf(lines: readonly Line[]): LectureTitle[] {
  const named = namedColumns(lines[0])
  const lectures = named === null ? lines : lines.slice(1)
  const columns =
    named ?? (lines[0]?.cells.length === 1 ? { position: null, title: 0 } : { position: 0, title: 1 })
  if (lectures.length === 0) throw new LectureFileError('has no lectures')
  const seen = new Map<number, number>()
  return lectures.map((line, index) => {
    const lecture = lectureOf(line, columns, index + 1)
    const earlier = seen.get(lecture.position)
    if (earlier !== undefined) {
      throw new LectureFileError(
        `line ${line.number}: position ${lecture.position} stands in line ${earlier} already`,
      )
    }
    seen.set(lecture.position, line.number)
    return lecture
  })
}

function lectureOf({ cells, number }: Line, columns: Columns, order: number): LectureTitle {
  const width = columns.position === null ? 1 : 2
  const at = `line ${number}`
  if (cells.length !== width) throw new LectureFileError(`${at} ${wrongWidth(cells.length, width)}`)
  const position = columns.position === null ? order : positionOf(cells[columns.position] ?? '', at)
  return { position, title: titleOf(cells[columns.title] ?? '', at) }
}

/** @returns null when the first line names no columns: it is a lecture then */
function namedColumns(first: Line | undefined): Columns | null {
  const names = first?.cells.map((cell) => cell.toLowerCase()) ?? []
  const [position, title] = [names.indexOf('position'), names.indexOf('title')]
  if (names.length === 1 && title === 0) return { position: null, title }
  return names.length === 2 && position >= 0 && title >= 0 ? { position, title } : null
}

function positionOf(cell: string, at: string): number {
  const position = /^\d{1,7}$/.test(cell) ? Number(cell) : 0
  if (position >= 1 && position <= LAST_POSITION) return position
  throw new LectureFileError(`${at}: "${cell}" is no position; positions are whole numbers from 1`)
}

function titleOf(cell: string, at: string): string {
  const title = normalize(cell).replace(/\s+/gu, ' ')
  if (hasForbidden(title, { multiline: false }))
    throw new LectureFileError(`${at}: the title holds control characters`)
  if (isBlank(title)) throw new LectureFileError(`${at}: there is no title`)
  const length = lengthOf(title)
  if (length <= TITLE_LENGTH) return title
  throw new LectureFileError(`${at}: the title has ${length} characters; ${TITLE_LENGTH} is the most`)
}

function wrongWidth(found: number, expected: number): string {
  const columns = expected === 1 ? 'one, the title' : 'two, position and title'
  const has = found === 1 ? 'has one column' : `has ${found} columns`
  return `${has} instead of ${columns}; a title with a comma needs quotes: "a, b"`
}
