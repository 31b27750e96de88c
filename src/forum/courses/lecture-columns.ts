/** Which cell of a line is what; without positions lectures are numbered in their order. */
export interface Columns {
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
 * Columns in any order, by a first line that names them: a title, a position where there is one, and others, which are not read.
 * @returns null when the line names no columns: it is a lecture then
 */
export function columnsNamedBy(cells: readonly string[]): Columns | null {
  const names = cells.map((cell) => cell.normalize('NFC').trim().toLowerCase())
  const position = names.findIndex((name) => POSITIONS.has(name))
  const title = names.findIndex((name) => TITLES.has(name))
  if (title < 0 || (position < 0 && names.length > 1)) return null
  return { position: position < 0 ? null : position, title, width: names.length }
}
