import { csvOf } from '../../text/csv.ts'
import type { CourseFigures } from './figures.ts'
import { type ColumnKind, FIGURES, type FigureName, type Table, tableOf } from './tables.ts'

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MINUTE_SECONDS = 60

/**
 * The numbers of one figure as its table has them, or those of all, one a line. Columns and values are the same in every
 * language: waits in minutes, shares from 0 to 1, `<5` for what would show fewer than five people, nothing for what was
 * not measured.
 */
export function figuresCsv(figures: CourseFigures, name: FigureName | null): string {
  const records = name === null ? allRecords(figures) : tableRecords(tableOf(name, figures))
  return csvOf(records)
}

function allRecords(figures: CourseFigures): string[][] {
  const lines = FIGURES.flatMap((figure) => {
    const [columns = [], ...rows] = tableRecords(tableOf(figure, figures))
    return rows.flatMap(([row = '', ...values]) =>
      values.map((value, index) => [figure, row, columns[index + 1] ?? '', value]),
    )
  })
  return [['figure', 'row', 'column', 'value'], ...lines]
}

function tableRecords({ columns, rows }: Table): string[][] {
  const heads = columns.map(({ name, kind }) => {
    if (kind === 'seconds') return `${name} (minutes)`
    return /^\d+$/.test(name) ? `${name}–${Number(name) + 4} h` : name
  })
  return [
    heads,
    ...rows.map((row) => row.map((value, index) => plain(value, columns[index]?.kind ?? 'text'))),
  ]
}

function plain(value: string | number | null, kind: ColumnKind): string {
  if (value === null) return ''
  if (value === 'few') return '<5'
  if (typeof value === 'string') return value
  if (kind === 'weekday') return WEEKDAYS[value] ?? ''
  if (kind === 'seconds') return String(Math.round(value / MINUTE_SECONDS))
  return kind === 'share' ? value.toFixed(4) : String(value)
}
