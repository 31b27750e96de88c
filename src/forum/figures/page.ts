import type { Language } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { coursePath, figuresPath, pathWith } from '../../web/paths.ts'
import type { Course } from '../courses/queries.ts'
import type { FaqOpening } from './faq-openings.ts'
import type { CourseFigures } from './figures.ts'
import { type Formats, formatsOf } from './formats.ts'
import { MAX_WAITING } from './queries.ts'
import { earliestBeginning, usualBeginning } from './range.ts'
import { FIGURES, type FigureName, type Table, tableOf } from './tables.ts'
import { type Weeks, weeksBetween } from './weeks.ts'

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
  readonly summary: readonly { readonly name: string; readonly text: string; readonly isWaiting: boolean }[]
  readonly charts: readonly Chart[]
}

export interface Chart {
  readonly name: FigureName
  /** Of the heading that names it. */
  readonly id: string
  /** The drawing; '': only the list and the table say it. */
  readonly svgHtml: string
  readonly bars: readonly Bar[]
  readonly csvPath: string
  /** Lectures that only the table has. */
  readonly otherLectures: number
  /** Lectures about which too few people asked. */
  readonly hiddenLectures: number
  readonly table: { readonly heads: readonly string[]; readonly rows: readonly (readonly string[])[] }
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
  const drawing = await import('./drawing.ts')
  const linkTo = (figure: FigureName | null) =>
    pathWith(`${figuresPath(course.slug)}.csv`, { from: weeks.from, to: weeks.to, figure })
  const svgs = svgsOf(drawing, formats, figures)
  return {
    csvPath: linkTo(null),
    summary: summaryOf(formats, figures),
    charts: FIGURES.map((name) => ({
      name,
      id: `figure-${name}`,
      svgHtml: svgs[name] ?? '',
      bars: barsOf(name, formats, course, figures),
      csvPath: linkTo(name),
      otherLectures: name === 'lectures' ? Math.max(0, figures.lectures.length - MAX_LECTURE_BARS) : 0,
      hiddenLectures: name === 'lectures' ? figures.hiddenLectures : 0,
      table: writtenTable(t, formats, tableOf(name, figures)),
    })),
  }
}

function summaryOf(formats: Formats, figures: CourseFigures): ShownFigures['summary'] {
  const { staff, classmates } = figures.answers
  const all = staff + classmates
  const entry = (name: string, text: string, isWaiting = false) => ({ name, text, isWaiting })
  return [
    entry('questions', formats.cell(figures.questions, 'count')),
    entry('resolved', formats.cell(figures.resolved, 'share')),
    entry('withinDay', formats.cell(figures.withinDay, 'share')),
    entry('firstAnswer', formats.cell(figures.firstAnswer.median, 'seconds')),
    entry('firstStaffAnswer', formats.cell(figures.firstStaffAnswer.median, 'seconds')),
    entry('classmates', formats.cell(all === 0 ? null : classmates / all, 'share')),
    entry('waiting', waitingText(formats, figures), figures.waiting !== 0),
  ]
}

function waitingText(formats: Formats, { waiting }: CourseFigures): string {
  return formats.cell(waiting, 'count') + (waiting === MAX_WAITING ? '+' : '')
}

function svgsOf(
  { barsSvg, hoursSvg, sharesSvg, waitsSvg }: typeof import('./drawing.ts'),
  formats: Formats,
  { weeks, hours }: CourseFigures,
): Partial<Record<FigureName, string>> {
  const labels = weeks.map(({ monday }) => formats.shortDay(monday))
  const series = (name: FigureName) => ({ labels, labelledBy: `figure-${name}` })
  const seconds = (value: number) => formats.cell(value, 'seconds')
  return {
    weeks: barsSvg(
      series('weeks'),
      weeks.map(({ questions, answers }) => [questions, answers] as const),
    ),
    firstAnswer: waitsSvg(
      series('firstAnswer'),
      weeks.map(({ firstAnswer }) => firstAnswer),
      seconds,
    ),
    firstStaffAnswer: waitsSvg(
      series('firstStaffAnswer'),
      weeks.map(({ firstStaffAnswer }) => firstStaffAnswer),
      seconds,
    ),
    resolution: waitsSvg(
      series('resolution'),
      weeks.map(({ resolution }) => resolution),
      seconds,
    ),
    withinDay: sharesSvg(
      series('withinDay'),
      weeks.map(({ withinDay }) => withinDay),
      (value) => formats.cell(value, 'share'),
    ),
    hours: hoursSvg('figure-hours', formats.weekdays, hours),
  }
}

function barsOf(name: FigureName, formats: Formats, course: Course, figures: CourseFigures): Bar[] {
  if (name === 'lectures') {
    const most = Math.max(1, ...figures.lectures.map(({ perHundred }) => perHundred))
    return figures.lectures.slice(0, MAX_LECTURE_BARS).map(({ position, title, terms, perHundred }) => ({
      text: `${position} · ${title}`,
      path: pathWith(coursePath(course.slug), { lecture: position }),
      terms,
      number: formats.cell(perHundred, 'count'),
      width: Math.round((perHundred / most) * 100),
    }))
  }
  if (name !== 'who') return []
  const { staff, classmates } = figures.answers
  const all = staff + classmates
  const bar = (group: 'staff' | 'classmates', count: number): Bar => ({
    text: formats.group(group),
    path: null,
    terms: [],
    number: formats.cell(all === 0 ? null : count / all, 'share'),
    width: all === 0 ? 0 : Math.round((count / all) * 100),
  })
  return [bar('staff', staff), bar('classmates', classmates)]
}

function writtenTable(t: Translate, formats: Formats, { columns, rows }: Table): Chart['table'] {
  return {
    heads: columns.map(({ name }) =>
      /^\d+$/.test(name) ? `${name}–${Number(name) + 4}` : t(`figures.column.${name}`),
    ),
    rows: rows.map((row) => row.map((value, index) => formats.cell(value, columns[index]?.kind ?? 'text'))),
  }
}
