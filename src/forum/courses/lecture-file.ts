import { readFile } from 'node:fs/promises'
import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { type Message, translatorOf } from '../../messages/catalogue.ts'
import { hasForbidden, isBlank, lengthOf, normalize } from '../../text/characters.ts'
import { textOfTable } from '../../text/table-file.ts'
import type { LectureTitle } from './commands.ts'

/** Lectures that cannot be read: `told` says which line and why, in any language; `message` in English, for a terminal. */
export class LectureFileError extends Error {
  readonly told: Message

  constructor(key: string, values?: Message['values']) {
    super(translatorOf('en')(key, values))
    this.told = values === undefined ? { key } : { key, values }
  }
}

/** As the constraints of the table lectures have it. */
const TITLE_LENGTH = 150
/** Of a lecture. A position is a number in addresses, too. */
export const LAST_POSITION = 999_999

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

/** Which cell is what; without positions lectures are numbered in their order. */
interface Columns {
  readonly position: number | null
  readonly title: number
}

/**
 * Reads lectures from a CSV file: columns position and title, or title alone; a first line that names them is optional.
 * @throws LectureFileError whose message begins with the path
 */
export async function readLectures(path: string): Promise<LectureTitle[]> {
  try {
    const text = textOfTable(await readFile(path))
    if (text === null) throw new LectureFileError('lectures.file.notUtf8')
    return lecturesOf(linesOf(text)).lectures
  } catch (error) {
    if (error instanceof Error) error.message = `${path}: ${error.message}`
    throw error
  }
}

/**
 * Reads lectures that were typed or pasted: titles, one a line; or, where the first line begins with a number or names the
 * columns, a table with commas, semicolons or tabs, as spreadsheets copy it.
 * @throws LectureFileError
 */
export function readLectureText(text: string): ReadLectures {
  const pasted = text.replace(/^\uFEFF/, '')
  if (/^\s*("?\d+"?\s*[,;\t]|"?(position|title)"?\s*([,;\t]|$))/im.test(firstLineOf(pasted)))
    return lecturesOf(linesOf(pasted, [',', ';', '\t']))
  const titles = pasted.split('\n').map((cell, index) => ({ cells: [cell.trim()], number: index + 1 }))
  return lecturesOf(titles.filter(({ cells }) => cells[0] !== ''))
}

function firstLineOf(text: string): string {
  return text.trimStart().split('\n', 1)[0] ?? ''
}

function linesOf(text: string, delimiter: string[] = [',']): Line[] {
  const lines: Line[] = []
  const keep = (cells: string[], { lines: number }: { readonly lines: number }) => {
    if (cells.some((cell) => cell !== '')) lines.push({ cells, number })
    return cells
  }
  try {
    parse(text, { delimiter, relax_column_count: true, skip_empty_lines: true, trim: true, on_record: keep })
    return lines
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new LectureFileError('lectures.file.broken', { reason: error.message })
  }
}

function lecturesOf(lines: readonly Line[]): ReadLectures {
  const named = namedColumns(lines[0])
  const listed = named === null ? lines : lines.slice(1)
  const columns =
    named ?? (lines[0]?.cells.length === 1 ? { position: null, title: 0 } : { position: 0, title: 1 })
  if (listed.length === 0) throw new LectureFileError('lectures.file.none')
  const seen = new Map<number, number>()
  const lectures = listed.map((line, index) => {
    const lecture = lectureOf(line, columns, index + 1)
    const earlier = seen.get(lecture.position)
    if (earlier !== undefined) {
      const values = { line: line.number, position: lecture.position, earlier }
      throw new LectureFileError('lectures.file.twice', values)
    }
    seen.set(lecture.position, line.number)
    return lecture
  })
  return { lectures, isNumbered: columns.position !== null }
}

function lectureOf({ cells, number }: Line, columns: Columns, order: number): LectureTitle {
  const width = columns.position === null ? 1 : 2
  if (cells.length !== width) {
    const values = { line: number, found: cells.length, columns: width === 1 ? 'one' : 'two' }
    throw new LectureFileError('lectures.file.width', values)
  }
  const position = columns.position === null ? order : positionOf(cells[columns.position] ?? '', number)
  return { position, title: titleOf(cells[columns.title] ?? '', number) }
}

/** @returns null when the first line names no columns: it is a lecture then */
function namedColumns(first: Line | undefined): Columns | null {
  const names = first?.cells.map((cell) => cell.toLowerCase()) ?? []
  const [position, title] = [names.indexOf('position'), names.indexOf('title')]
  if (names.length === 1 && title === 0) return { position: null, title }
  return names.length === 2 && position >= 0 && title >= 0 ? { position, title } : null
}

function positionOf(cell: string, line: number): number {
  const position = /^\d{1,7}$/.test(cell) ? Number(cell) : 0
  if (position >= 1 && position <= LAST_POSITION) return position
  throw new LectureFileError('lectures.file.position', { line, cell: cell.slice(0, 40) })
}

function titleOf(cell: string, line: number): string {
  const title = normalize(cell).replace(/\s+/gu, ' ')
  if (hasForbidden(title, { multiline: false })) throw new LectureFileError('lectures.file.control', { line })
  if (isBlank(title)) throw new LectureFileError('lectures.file.noTitle', { line })
  const length = lengthOf(title)
  if (length <= TITLE_LENGTH) return title
  throw new LectureFileError('lectures.file.long', { line, length, max: TITLE_LENGTH })
}
