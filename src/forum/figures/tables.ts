import type { Cell } from './cells.ts'
import type { CourseFigures, Wait, WeekFigures } from './figures.ts'

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

export interface Column {
  /** In CSV, and of its message: figures.column.<name>. A number: hours from then on. */
  readonly name: string
  readonly kind: ColumnKind
}

/** The numbers of a figure; each row begins with its name. */
export interface Table {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly (string | Cell)[])[]
}

export function tableOf(name: FigureName, figures: CourseFigures): Table {
  return MAKERS[name](figures)
}

const MAKERS: Readonly<Record<FigureName, (figures: CourseFigures) => Table>> = {
  weeks: ({ weeks }) =>
    byWeek(weeks, [
      ['questions', 'count', (week) => week.questions],
      ['answers', 'count', (week) => week.answers],
    ]),
  firstAnswer: ({ weeks }) => waits(weeks, (week) => week.firstAnswer),
  firstStaffAnswer: ({ weeks }) => waits(weeks, (week) => week.firstStaffAnswer),
  resolution: ({ weeks }) => waits(weeks, (week) => week.resolution),
  withinDay: ({ weeks }) => byWeek(weeks, [['withinDay', 'share', (week) => week.withinDay]]),
  who: ({ answers }) => {
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

function waits(weeks: readonly WeekFigures[], waitOf: (week: WeekFigures) => Wait): Table {
  return byWeek(weeks, [
    ['median', 'seconds', (week) => waitOf(week).median],
    ['ninetieth', 'seconds', (week) => waitOf(week).ninetieth],
  ])
}

function byWeek(
  weeks: readonly WeekFigures[],
  columns: readonly (readonly [name: string, kind: ColumnKind, cellOf: (week: WeekFigures) => Cell])[],
): Table {
  return {
    columns: [column('week', 'day'), ...columns.map(([name, kind]) => column(name, kind))],
    rows: weeks.map((week) => [week.monday, ...columns.map(([, , cellOf]) => cellOf(week))]),
  }
}

function column(name: string, kind: ColumnKind): Column {
  return { name, kind }
}
