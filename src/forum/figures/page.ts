import type { Language } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { coursePath, deskPath, figuresPath, pathWith } from '../../web/paths.ts'
import { MAX_COUNTED } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import type { Drawing } from './drawing.ts'
import type { CourseFigures, PeriodFigures } from './figures.ts'
import { type Formats, formatsOf } from './formats.ts'
import { earliestBeginning, type Unit, usualBeginning, type Weeks, weeksBetween } from './periods.ts'
import type { FaqOpening } from './queries.ts'
import { type ColumnKind, FIGURES, type FigureName, shareWithinDay, type Table, tableOf } from './tables.ts'
import { type Cell, FEWEST_PEOPLE } from './tally.ts'

/** views/figures/show.eta */
export interface FiguresPage {
  readonly path: string
  readonly form: {
    readonly typed: Readonly<Record<string, string>>
    readonly errors: readonly { field: string; text: string }[]
  }
  readonly ranges: readonly { readonly name: string; readonly path: string; readonly isCurrent: boolean }[]
  /** null: the range that was asked for is none. */
  readonly shown: ShownFigures | null
  /** What searches led to the FAQ, whatever the range; empty: none of enough people. */
  readonly faq: readonly FaqOpening[]
}

export interface ShownFigures {
  readonly csvPath: string
  /** What matters, in up to three sentences. */
  readonly said: readonly (readonly Part[])[]
  readonly summary: readonly SummaryEntry[]
  /** In place of charts that would have fewer than MIN_POINTS; null: there are charts. */
  readonly periods: { readonly name: Unit; readonly table: WrittenTable } | null
  readonly charts: readonly Chart[]
  /** A number of these tables is withheld. */
  readonly isWithheld: boolean
}

/** Words of a sentence; those with a path lead to what they count. */
interface Part {
  readonly text: string
  readonly path: string | null
}

interface SummaryEntry extends Part {
  readonly name: string
  readonly isWaiting: boolean
}

export interface Chart {
  readonly name: FigureName
  /** Of the heading that names it. */
  readonly id: string
  /** null: only the list and the table say it. */
  readonly drawing: Drawing | null
  readonly bars: readonly Bar[]
  readonly csvPath: string
  /** Lectures that only the table has. */
  readonly otherLectures: number
  readonly table: WrittenTable
}

interface WrittenTable {
  readonly heads: readonly string[]
  readonly rows: readonly (readonly WrittenCell[])[]
}

interface WrittenCell extends Part {
  /** It leads to the note on what is withheld. */
  readonly isWithheld: boolean
}

/** A line of the confusion map, or of who answers. */
export interface Bar {
  readonly text: string
  readonly path: string | null
  readonly terms: readonly string[]
  readonly number: string
  /** Of 100. */
  readonly width: number
}

/** The lectures that confuse most: the others are in the table. */
const MAX_LECTURE_BARS = 12
/** Fewer are a table and no chart. */
const MIN_POINTS = 6
/** Charts of periods, which the table replaces. */
const OF_PERIODS: readonly FigureName[] = [
  'weeks',
  'firstAnswer',
  'firstStaffAnswer',
  'resolution',
  'withinDay',
]

/** The ranges that the page offers; all end today. @param beginnings days */
export function rangesOf(
  t: Translate,
  slug: string,
  today: string,
  shown: Weeks | null,
  beginnings: { readonly made: string; readonly asked: string | null },
): FiguresPage['ranges'] {
  const firstDays = {
    weeks: usualBeginning(today),
    run: beginnings.made,
    all: beginnings.asked ?? beginnings.made,
  }
  return Object.entries(firstDays).map(([name, first]) => {
    const weeks = weeksBetween(earliestBeginning(first, today), today)
    return {
      name: t(`figures.range.${name}`),
      path: pathWith(figuresPath(slug), { from: weeks.from, to: weeks.to }),
      isCurrent: shown?.from === weeks.from && shown.to === weeks.to,
    }
  })
}

export async function shownFigures(
  t: Translate,
  language: Language,
  course: Course,
  weeks: Weeks,
  figures: CourseFigures,
): Promise<ShownFigures> {
  const formats = formatsOf(t, language)
  const linkTo = (figure: FigureName | null) =>
    pathWith(`${figuresPath(course.slug)}.csv`, { from: weeks.from, to: weeks.to, figure })
  const drawings = drawingsOf(await import('./drawing.ts'), formats, figures)
  const isChart = figures.periods.length >= MIN_POINTS
  const names = FIGURES.filter(
    (name) => (isChart || !OF_PERIODS.includes(name)) && hasNumbers(name, tableOf(name, figures)),
  )
  const periods = isChart || figures.total.questions === 0 ? null : periodsTable(t, formats, course, figures)
  const charts = names.map((name) => ({
    name,
    id: `figure-${name}`,
    drawing: drawings[name] ?? null,
    bars: barsOf(name, formats, course, figures),
    csvPath: linkTo(name),
    otherLectures: name === 'lectures' ? Math.max(0, figures.lectures.length - MAX_LECTURE_BARS) : 0,
    table: writtenTable(t, formats, tableOf(name, figures)),
  }))
  const tables = [...(periods === null ? [] : [periods]), ...charts].map(({ table }) => table)
  return {
    csvPath: linkTo(null),
    said: saidOf(t, formats, course, figures),
    summary: figures.total.questions === 0 ? [] : summaryOf(formats, course, figures),
    periods,
    charts,
    isWithheld: tables.some(({ rows }) => rows.flat().some((cell) => cell.isWithheld)),
  }
}

/** Whether a figure says anything: without a number, or with zeros alone, it would be an empty chart. */
function hasNumbers(name: FigureName, { columns, rows }: Table): boolean {
  if (name === 'lectures') return rows.length > 0
  const isNumber = (value: string | Cell, index: number) =>
    typeof value === 'number' && (value > 0 || columns[index]?.kind === 'share') && index > 0
  return rows.some((row) => row.some(isNumber))
}

const listPath = (
  { slug }: Course,
  { from, to }: Pick<PeriodFigures, 'from' | 'to'>,
  narrowed: Readonly<Record<string, string | number>> = {},
) => pathWith(coursePath(slug), { from, to, ...narrowed })

function saidOf(
  t: Translate,
  { cell }: Formats,
  course: Course,
  figures: CourseFigures,
): ShownFigures['said'] {
  const { total, before, waiting } = figures
  const days = { from: cell(total.from, 'day'), to: cell(total.to, 'day') }
  const { questions, people, dayOld, withinDay } = total
  const change =
    before === null ? 'none' : questions > before ? 'more' : questions < before ? 'fewer' : 'same'
  const values = { ...days, questions, people, change, difference: Math.abs(questions - (before ?? 0)) }
  const asked = t(`figures.said.${people >= FEWEST_PEOPLE ? 'asked' : 'askedByFew'}`, values)
  const waits = t('figures.said.waiting', { waiting, isMost: waiting === MAX_COUNTED ? 'yes' : 'no' })
  const answered = dayOld === 0 ? '' : t('figures.said.withinDay', { withinDay, dayOld })
  const [first, second] = figures.lectures
  const isMost = first !== undefined && first.questions > Math.max(1, second?.questions ?? 0)
  return [
    linked(asked, listPath(course, total)),
    linked(`${answered} ${waits}`.trim(), deskPath(course.slug)),
    ...(isMost
      ? [
          linked(
            t('figures.said.lecture', {
              position: first.position,
              title: first.title,
              questions: first.questions,
            }),
            listPath(course, total, { lecture: first.position }),
          ),
        ]
      : []),
  ]
}

/** A sentence, of which what stands in ⟦ ⟧ leads somewhere. */
function linked(sentence: string, path: string): Part[] {
  return sentence
    .split(/[⟦⟧]/)
    .map((text, index) => ({ text, path: index % 2 === 1 ? path : null }))
    .filter(({ text }) => text !== '')
}

/** What was measured: what wasn't, or is withheld, is left out. */
function summaryOf({ cell }: Formats, course: Course, { total, waiting }: CourseFigures): SummaryEntry[] {
  const entry = (name: string, text: string, path: string | null = null) => ({ name, text, path })
  const wait = (name: 'firstAnswer' | 'firstStaffAnswer') =>
    typeof total[name].median === 'number' ? [entry(name, cell(total[name].median, 'seconds'))] : []
  const entries = [
    entry('questions', cell(total.questions, 'count'), listPath(course, total)),
    entry('resolved', cell(total.resolved, 'count'), listPath(course, total, { status: 'resolved' })),
    entry('waiting', cell(waiting, 'count') + (waiting === MAX_COUNTED ? '+' : ''), deskPath(course.slug)),
    ...[...wait('firstAnswer'), ...wait('firstStaffAnswer')],
    entry('staff', cell(total.answers.staff, 'count')),
    entry('classmates', cell(total.answers.classmates, 'count')),
  ]
  return entries.map((one) => ({ ...one, isWaiting: one.name === 'waiting' && waiting > 0 }))
}

/** The periods one below the other, and all together. */
function periodsTable(t: Translate, formats: Formats, course: Course, figures: CourseFigures) {
  const { unit, periods, total } = figures
  const heads = ['period', 'questions', 'withinDay', 'resolved', 'firstAnswer', 'firstStaffAnswer']
  const row = (period: PeriodFigures): WrittenCell[] => {
    const count = (value: number, path: string | null) => ({ ...written(formats, value, 'count'), path })
    const name = period === total && periods.length > 1 ? t('figures.total') : daysText(formats, period)
    return [
      { text: name, path: null, isWithheld: false },
      count(period.questions, listPath(course, period)),
      count(period.withinDay, null),
      count(period.resolved, listPath(course, period, { status: 'resolved' })),
      written(formats, period.firstAnswer.median, 'seconds'),
      written(formats, period.firstStaffAnswer.median, 'seconds'),
    ]
  }
  const rows = periods.length > 1 ? [...periods, total] : [total]
  return {
    name: unit,
    table: { heads: heads.map((name) => t(`figures.column.${name}`)), rows: rows.map(row) },
  }
}

const daysText = ({ cell }: Formats, { from, to }: PeriodFigures) =>
  `${cell(from, 'day')} – ${cell(to, 'day')}`

function drawingsOf(
  { hourCells, shareLine, waitLines, weekBars }: typeof import('./drawing.ts'),
  formats: Formats,
  { periods, hours }: CourseFigures,
): Partial<Record<FigureName, Drawing>> {
  const labels = formats.axis(periods.map(({ from }) => from))
  const waits = (name: 'firstAnswer' | 'firstStaffAnswer' | 'resolution') =>
    waitLines(
      labels,
      periods.map((period) => period[name]),
      (value) => formats.cell(value, 'seconds'),
    )
  return {
    weeks: weekBars(
      labels,
      periods.map(({ questions, answers }) => [questions, answers.staff + answers.classmates] as const),
    ),
    firstAnswer: waits('firstAnswer'),
    firstStaffAnswer: waits('firstStaffAnswer'),
    resolution: waits('resolution'),
    withinDay: shareLine(labels, periods.map(shareWithinDay), (value) => formats.cell(value, 'share')),
    hours: hourCells(formats.weekdays, hours),
  }
}

function barsOf(name: FigureName, formats: Formats, course: Course, figures: CourseFigures): Bar[] {
  const bar = (most: number, text: string, count: number, more: Partial<Bar> = {}): Bar => ({
    ...{ text, path: null, terms: [], number: formats.cell(count, 'count') },
    width: most === 0 ? 0 : Math.round((count / most) * 100),
    ...more,
  })
  if (name === 'lectures') {
    const most = figures.lectures[0]?.questions ?? 0
    return figures.lectures.slice(0, MAX_LECTURE_BARS).map(({ position, title, terms, questions }) =>
      bar(most, `${position} · ${title}`, questions, {
        terms,
        path: listPath(course, figures.total, { lecture: position }),
      }),
    )
  }
  if (name !== 'who') return []
  const { staff, classmates } = figures.total.answers
  const most = Math.max(staff, classmates)
  return [bar(most, formats.group('staff'), staff), bar(most, formats.group('classmates'), classmates)]
}

function writtenTable(t: Translate, formats: Formats, { columns, rows }: Table): WrittenTable {
  return {
    heads: columns.map(({ name }) =>
      /^\d+$/.test(name) ? `${name}–${Number(name) + 4}` : t(`figures.column.${name}`),
    ),
    rows: rows.map((row) =>
      row.map((value, index) => written(formats, value, columns[index]?.kind ?? 'text')),
    ),
  }
}

function written(formats: Formats, value: string | Cell, kind: ColumnKind): WrittenCell {
  return { text: formats.cell(value, kind), path: null, isWithheld: value === 'few' }
}
