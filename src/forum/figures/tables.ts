import { csvOf } from '../../text/csv.ts'
import type { CourseFigures, PeriodFigures, WaitName } from './figures.ts'
import type { Cell } from './tally.ts'

/** Figures that have a table, in the order of the page. Their names are in the addresses of their CSV. */
export const FIGURES = [
  'weeks',
  'firstAnswer',
  'firstStaffAnswer',
  'resolution',
  'withinDay',
  'who',
  'hours',
  'lectures',
] as const
export type FigureName = (typeof FIGURES)[number]

/** What a column's values are: `seconds` of a wait, a `share` from 0 to 1, a weekday from 0, Monday. */
export type ColumnKind = 'day' | 'weekday' | 'group' | 'text' | 'count' | 'seconds' | 'share'

export interface Table {
  readonly columns: readonly ReturnType<typeof column>[]
  readonly rows: readonly (readonly (string | Cell)[])[]
}

export function tableOf(name: FigureName, figures: CourseFigures): Table {
  return MAKERS[name](figures)
}

const MAKERS: Readonly<Record<FigureName, (figures: CourseFigures) => Table>> = {
  weeks: ({ periods }) =>
    byPeriod(periods, [
      ['questions', 'count', ({ questions }) => questions],
      ['answers', 'count', ({ answers }) => answers.staff + answers.classmates],
      ['resolved', 'count', ({ resolved }) => resolved],
      ['withinDay', 'count', ({ withinDay }) => withinDay],
    ]),
  firstAnswer: ({ periods }) => waits(periods, 'firstAnswer'),
  firstStaffAnswer: ({ periods }) => waits(periods, 'firstStaffAnswer'),
  resolution: ({ periods }) => waits(periods, 'resolution'),
  withinDay: ({ periods }) => byPeriod(periods, [['withinDay', 'share', shareWithinDay]]),
  who: ({ total: { answers } }) => {
    const all = answers.staff + answers.classmates
    const row = (name: string, count: number) => [name, count, all === 0 ? null : count / all]
    return {
      columns: [column('group', 'group'), column('answers', 'count'), column('share', 'share')],
      rows: [row('staff', answers.staff), row('classmates', answers.classmates)],
    }
  },
  hours: ({ quarters }) => ({
    columns: [
      column('weekday', 'weekday'),
      ...[0, 4, 8, 12, 16, 20].map((hour) => column(String(hour), 'count')),
    ],
    rows: Array.from({ length: 7 }, (_, day) => [day, ...quarters.slice(day * 6, day * 6 + 6)]),
  }),
  lectures: ({ lectures }) => ({
    columns: [
      column('lecture', 'text'),
      column('perHundred', 'count'),
      column('questions', 'count'),
      column('terms', 'text'),
    ],
    rows: lectures.map(({ position, title, perHundred, questions, terms }) => [
      `${position} · ${title}`,
      ...[perHundred, questions, terms.join(' · ')],
    ]),
  }),
}

/** Of the questions that are a day old. null: there are none. */
export function shareWithinDay({ dayOld, withinDay }: PeriodFigures): number | null {
  return dayOld === 0 ? null : withinDay / dayOld
}

function waits(periods: readonly PeriodFigures[], name: WaitName): Table {
  return byPeriod(periods, [
    ['median', 'seconds', (period) => period[name].median],
    ['ninetieth', 'seconds', (period) => period[name].ninetieth],
  ])
}

function byPeriod(
  periods: readonly PeriodFigures[],
  columns: readonly (readonly [name: string, kind: ColumnKind, cellOf: (period: PeriodFigures) => Cell])[],
): Table {
  return {
    columns: [column('from', 'day'), ...columns.map(([name, kind]) => column(name, kind))],
    rows: periods.map((period) => [period.from, ...columns.map(([, , cellOf]) => cellOf(period))]),
  }
}

/** @param name in CSV, and of its message: figures.column.<name>; a number: hours from then on */
function column(name: string, kind: ColumnKind) {
  return { name, kind }
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MINUTE_SECONDS = 60

/**
 * The numbers of one figure as its table has them, or those of all, one a line. Columns and values are the
 * same in every language: waits in minutes, shares from 0 to 1, `<5` for what would show fewer than five
 * people, nothing for what was not measured.
 */
export function figuresCsv(figures: CourseFigures, name: FigureName | null): string {
  return csvOf(name === null ? allRecords(figures) : tableRecords(tableOf(name, figures)))
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
