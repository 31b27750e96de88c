import type { FastifyInstance } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { choiceParam } from '../../web/params.ts'
import { coursePath, deskPath, figuresPath, pathWith } from '../../web/paths.ts'
import { MAX_COUNTED } from '../courses/course-bar.ts'
import { type CourseContext, pageOfCourse } from '../courses/course-page.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import type { Drawing } from './drawing.ts'
import { type CourseFigures, countFigures, type PeriodFigures, type WaitName } from './figures.ts'
import { type Formats, formatsOf } from './formats.ts'
import { dayIn, earliestBeginning, readRange, usualBeginning, type Weeks, weeksBetween } from './periods.ts'
import { beginningsOf, faqOpenings } from './queries.ts'
import {
  type ColumnKind,
  FIGURES,
  type FigureName,
  figuresCsv,
  shareWithinDay,
  type Table,
  tableOf,
} from './tables.ts'
import { type Cell, FEWEST_PEOPLE } from './tally.ts'

/** The lectures that confuse most: the others are in the table. */
const MAX_LECTURE_BARS = 12
/** Fewer are a table and no chart. */
const MIN_POINTS = 6
/** Charts of no periods: a table replaces the others. */
const OF_RANGE: readonly FigureName[] = ['who', 'hours', 'lectures']

function rangesOf(
  t: Translate,
  slug: string,
  today: string,
  shown: Weeks | null,
  { made, asked }: Awaited<ReturnType<typeof beginningsOf>>,
) {
  const firstDays = { weeks: usualBeginning(today), run: made, all: asked ?? made }
  return Object.entries(firstDays).map(([name, first]) => {
    const weeks = weeksBetween(earliestBeginning(first, today), today)
    return {
      name: t(`figures.range.${name}`),
      path: pathWith(figuresPath(slug), { from: weeks.from, to: weeks.to }),
      isCurrent: shown?.from === weeks.from && shown.to === weeks.to,
    }
  })
}

async function shownFigures({ t, lang, course }: CourseContext, weeks: Weeks, figures: CourseFigures) {
  const formats = formatsOf(t, lang)
  const linkTo = (figure: FigureName | null) =>
    pathWith(`${figuresPath(course.slug)}.csv`, { from: weeks.from, to: weeks.to, figure })
  const drawings = drawingsOf(await import('./drawing.ts'), formats, figures)
  const isChart = figures.periods.length >= MIN_POINTS
  const names = FIGURES.filter(
    (name) => (isChart || OF_RANGE.includes(name)) && hasNumbers(name, tableOf(name, figures)),
  )
  const periods = isChart || figures.total.questions === 0 ? null : periodsTable(t, formats, course, figures)
  const charts = names.map((name) => ({
    name,
    id: `figure-${name}`,
    // null: only the list and the table say it.
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

function saidOf(t: Translate, { cell }: Formats, course: Course, figures: CourseFigures) {
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
  const said = [
    linked(asked, listPath(course, total)),
    linked(`${answered} ${waits}`.trim(), deskPath(course.slug)),
  ]
  if (first === undefined || first.questions <= Math.max(1, second?.questions ?? 0)) return said
  const { position, title } = first
  const most = t('figures.said.lecture', { position, title, questions: first.questions })
  return [...said, linked(most, listPath(course, total, { lecture: position }))]
}

/** A sentence, of which what stands in ⟦ ⟧ leads somewhere. */
function linked(sentence: string, path: string) {
  return sentence
    .split(/[⟦⟧]/)
    .map((text, index) => ({ text, path: index % 2 === 1 ? path : null }))
    .filter(({ text }) => text !== '')
}

/** What was measured: what wasn't, or is withheld, is left out. */
function summaryOf({ cell }: Formats, course: Course, { total, waiting }: CourseFigures) {
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

function periodsTable(t: Translate, formats: Formats, course: Course, figures: CourseFigures) {
  const { unit, periods, total } = figures
  const heads = ['period', 'questions', 'withinDay', 'resolved', 'firstAnswer', 'firstStaffAnswer']
  const row = (period: PeriodFigures) => {
    const days = `${formats.cell(period.from, 'day')} – ${formats.cell(period.to, 'day')}`
    const name = period === total && periods.length > 1 ? t('figures.total') : days
    return [
      written(formats, name, 'text'),
      written(formats, period.questions, 'count', listPath(course, period)),
      written(formats, period.withinDay, 'count'),
      written(formats, period.resolved, 'count', listPath(course, period, { status: 'resolved' })),
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

function drawingsOf(
  { hourCells, shareLine, waitLines, weekBars }: typeof import('./drawing.ts'),
  formats: Formats,
  { periods, hours }: CourseFigures,
): Partial<Record<FigureName, Drawing>> {
  const labels = formats.axis(periods.map(({ from }) => from))
  const seconds = (value: number) => formats.cell(value, 'seconds')
  const waitsFor = (name: WaitName) => periods.map((period) => period[name])
  const waits = (name: WaitName) => waitLines(labels, waitsFor(name), seconds)
  const answered = periods.map(
    ({ questions, answers }) => [questions, answers.staff + answers.classmates] as const,
  )
  return {
    weeks: weekBars(labels, answered),
    firstAnswer: waits('firstAnswer'),
    firstStaffAnswer: waits('firstStaffAnswer'),
    resolution: waits('resolution'),
    withinDay: shareLine(labels, periods.map(shareWithinDay), (value) => formats.cell(value, 'share')),
    hours: hourCells(formats.weekdays, hours),
  }
}

function barsOf(name: FigureName, formats: Formats, course: Course, figures: CourseFigures) {
  const bar = (most: number, text: string, count: number) => ({
    text,
    number: formats.cell(count, 'count'),
    width: most === 0 ? 0 : Math.round((count / most) * 100),
    path: null,
    terms: [],
  })
  if (name === 'lectures') {
    const most = figures.lectures[0]?.questions ?? 0
    return figures.lectures.slice(0, MAX_LECTURE_BARS).map(({ position, title, terms, questions }) => ({
      ...bar(most, `${position} · ${title}`, questions),
      terms,
      path: listPath(course, figures.total, { lecture: position }),
    }))
  }
  if (name !== 'who') return []
  const { staff, classmates } = figures.total.answers
  const most = Math.max(staff, classmates)
  return [bar(most, formats.group('staff'), staff), bar(most, formats.group('classmates'), classmates)]
}

export function writtenTable(t: Translate, formats: Formats, { columns, rows }: Table) {
  return {
    heads: columns.map(({ name }) =>
      /^\d+$/.test(name) ? `${name}–${Number(name) + 4}` : t(`figures.column.${name}`),
    ),
    rows: rows.map((row) =>
      row.map((value, index) => written(formats, value, columns[index]?.kind ?? 'text')),
    ),
  }
}

/** A cell; one that is withheld leads to the note on that. */
function written(formats: Formats, value: string | Cell, kind: ColumnKind, path: string | null = null) {
  return { text: formats.cell(value, kind), path, isWithheld: value === 'few' }
}

export const showFigures = pageOfCourse(
  'figures/show',
  { place: 'figures', isForStaff: true, robots: 'noindex' },
  async (context, { weeks, typed, errors }: ReturnType<typeof readRange>, today: string) => {
    const { t, db, course } = context
    const figures = weeks === null ? null : await countFigures(db, course, weeks)
    return {
      title: t('figures.title'),
      path: figuresPath(course.slug),
      form: {
        typed,
        errors: errors.map(({ field, message }) => ({ field, text: t(message.key, message.values) })),
      },
      ranges: rangesOf(t, course.slug, today, weeks, await beginningsOf(db, course)),
      // null: the range that was asked for is none.
      shown: weeks === null || figures === null ? null : await shownFigures(context, weeks, figures),
      faq: await faqOpenings(db, course.id),
    }
  },
)

export function registerFigures(app: FastifyInstance): void {
  app.get('/courses/:course/figures', async (request, reply) => {
    const course = await courseFor(request, 'see-figures')
    const today = dayIn(new Date(), course.timeZone)
    const range = readRange(request.query, today)
    return showFigures(request, reply.code(range.weeks === null ? 422 : 200), course, range, today)
  })

  app.get('/courses/:course/figures.csv', async (request, reply) => {
    const course = await courseFor(request, 'see-figures')
    const { weeks } = readRange(request.query, dayIn(new Date(), course.timeZone))
    if (weeks === null) throw new Problem('invalid')
    const figure = choiceParam(request, 'figure', FIGURES, null)
    const name = `${course.slug}-${figure ?? 'figures'}-${weeks.from}-${weeks.to}.csv`
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
      .header('cache-control', 'private, no-store')
      .send(figuresCsv(await countFigures(app.db, course, weeks), figure))
  })
}
