import { axisBottom, axisLeft } from 'd3-axis'
import { scaleBand, scaleLinear, scaleLog } from 'd3-scale'
import { type Selection, select } from 'd3-selection'
import { area, line } from 'd3-shape'
import { parseHTML } from 'linkedom'
import type { Cell } from './cells.ts'

/**
 * Charts as SVG, drawn on the server: d3 writes into a document of its own. No styles: classes and attributes only, as the
 * Content-Security-Policy asks. Loaded when the first figures are shown.
 */
type Drawing = Selection<Element, unknown, null, undefined>

const WIDTH = 480
const HEIGHT = 196
const FRAME = { left: 44, right: 478, top: 16, bottom: 166 } as const
const TICKS = 4
const LABELS = 6
const DAY = 86_400
/** Seconds that a wait's axis may name: a minute, ten, an hour, six, a day, a week, thirty days, a year. */
const WAIT_TICKS = [60, 600, 3600, 6 * 3600, DAY, 7 * DAY, 30 * DAY, 365 * DAY] as const

/** What a chart of weeks is about. */
export interface WeekSeries {
  /** The labels of the weeks. */
  readonly labels: readonly string[]
  /** Id of the element that names the chart. */
  readonly labelledBy: string
}

/** Two bars a week: many, and beside them what came of them. */
export function barsSvg(series: WeekSeries, pairs: readonly (readonly [Cell, Cell])[]): string {
  const most = Math.max(1, ...pairs.flat().map(numberOf))
  const y = scaleLinear([0, most], [FRAME.bottom, FRAME.top]).nice(TICKS)
  const { x, drawing } = weekChart(series)
  drawValues(drawing, axisLeft(y).ticks(TICKS).tickFormat(wholeNumber))
  const width = x.bandwidth() / 2
  for (const [index, name] of ['bar-q', 'bar-a'].entries()) {
    drawing
      .append('g')
      .selectAll('rect')
      .data(pairs.map((pair) => numberOf(pair[index] ?? null)))
      .join('rect')
      .attr('class', name)
      .attr('x', (_, week) => tenths((x(String(week)) ?? 0) + index * width))
      .attr('y', (value) => tenths(y(value)))
      .attr('width', tenths(width * 0.92))
      .attr('height', (value) => tenths(FRAME.bottom - y(value)))
  }
  return drawing.node()?.outerHTML ?? ''
}

/** The median as a line over an area and the ninetieth percentile above it, on a logarithmic scale. */
export function waitsSvg(
  series: WeekSeries,
  waits: readonly { readonly median: Cell; readonly ninetieth: Cell }[],
  nameOf: (seconds: number) => string,
): string {
  const measured = waits.flatMap(({ median, ninetieth }) => [median, ninetieth]).filter(isNumber)
  const all = measured.length > 0 ? measured : [3600, DAY]
  const least = Math.max(60, Math.min(...all, DAY))
  const most = Math.max(...all, 3600)
  const inside = WAIT_TICKS.filter((tick) => tick >= least && tick <= most)
  const first = WAIT_TICKS.findLast((tick) => tick <= least) ?? 60
  const last = WAIT_TICKS.find((tick) => tick >= most) ?? most
  const y = scaleLog([first, last], [FRAME.bottom, FRAME.top]).clamp(true)
  const { x, drawing } = weekChart(series)
  const ticks = [...new Set([first, ...inside, last])]
  drawValues(
    drawing,
    axisLeft(y)
      .tickValues(ticks)
      .tickFormat((value) => nameOf(Number(value))),
  )
  drawLine(
    drawing,
    x,
    waits.map(({ median }) => median),
    y,
    { area: true, nameOf },
  )
  drawLine(
    drawing,
    x,
    waits.map(({ ninetieth }) => ninetieth),
    y,
    { class: 'line upper' },
  )
  return drawing.node()?.outerHTML ?? ''
}

/** Shares from 0 to 1 as a line. */
export function sharesSvg(
  series: WeekSeries,
  shares: readonly Cell[],
  nameOf: (share: number) => string,
): string {
  const y = scaleLinear([0, 1], [FRAME.bottom, FRAME.top])
  const { x, drawing } = weekChart(series)
  drawValues(
    drawing,
    axisLeft(y)
      .ticks(TICKS)
      .tickFormat((value) => nameOf(Number(value))),
  )
  drawLine(drawing, x, shares, y, { area: true, nameOf })
  return drawing.node()?.outerHTML ?? ''
}

/** The hours of the week, a row a day: the more, the fuller. */
export function hoursSvg(labelledBy: string, days: readonly string[], hours: readonly Cell[]): string {
  const x = scaleBand(hourNumbers, [44, 478]).paddingInner(0.1)
  const y = scaleBand(days, [2, 140]).paddingInner(0.14)
  const most = Math.max(1, ...hours.map(numberOf))
  const drawing = chart(`0 0 ${WIDTH} 164`, labelledBy)
  drawing
    .append('g')
    .selectAll('rect')
    .data(hours.map(numberOf))
    .join('rect')
    .attr('class', (count) => `heat-${Math.ceil((count / most) * 4)}`)
    .attr('x', (_, hour) => tenths(x(String(hour % 24)) ?? 0))
    .attr('y', (_, hour) => tenths(y(days[Math.floor(hour / 24)] ?? '') ?? 0))
    .attr('width', tenths(x.bandwidth()))
    .attr('height', tenths(y.bandwidth()))
    .attr('rx', 3)
  const atHours = axisBottom(x).tickValues(['0', '6', '12', '18', '23']).tickSize(0).tickPadding(8)
  drawAxis(drawing, 'translate(0,140)', atHours)
  drawAxis(drawing, 'translate(40,0)', axisLeft(y).tickSize(0).tickPadding(4))
  return drawing.node()?.outerHTML ?? ''
}

const hourNumbers = Array.from({ length: 24 }, (_, hour) => String(hour))

function weekChart({ labels, labelledBy }: WeekSeries) {
  const x = scaleBand(
    labels.map((_, week) => String(week)),
    [FRAME.left, FRAME.right],
  ).padding(0.2)
  const drawing = chart(`0 0 ${WIDTH} ${HEIGHT}`, labelledBy)
  const step = Math.max(1, Math.ceil(labels.length / LABELS))
  const axis = axisBottom(x)
    .tickValues(x.domain().filter((_, week) => week % step === 0))
    .tickFormat((week) => labels[Number(week)] ?? '')
    .tickSize(0)
    .tickPadding(8)
  drawAxis(drawing, `translate(0,${FRAME.bottom})`, axis)
  return { x, drawing }
}

function chart(viewBox: string, labelledBy: string): Drawing {
  const { document } = parseHTML('<body></body>')
  return select(document.body as Element)
    .append('svg')
    .attr('viewBox', viewBox)
    .attr('role', 'img')
    .attr('aria-labelledby', labelledBy) as unknown as Drawing
}

type Axis = ReturnType<typeof axisLeft<number>> | ReturnType<typeof axisBottom<string>>

/** The scale of values, with lines across the chart. */
function drawValues(
  drawing: Drawing,
  axis: ReturnType<typeof axisLeft<number | { valueOf(): number }>>,
): void {
  drawAxis(drawing, `translate(${FRAME.left},0)`, axis.tickSize(FRAME.left - FRAME.right).tickPadding(6))
}

function drawAxis(drawing: Drawing, transform: string, axis: unknown): void {
  const group = drawing.append('g').attr('class', 'axis').attr('transform', transform)
  ;(axis as Axis)(group as never)
  group.select('.domain').remove()
}

interface Point {
  readonly x: number
  readonly y: number | null
}

interface Look {
  readonly area?: boolean
  readonly class?: string
  /** Its last number is a dot, and written beside it. */
  readonly nameOf?: (value: number) => string
}

/** A line that breaks where there is no number; a number between two gaps is a dot. */
function drawLine(
  drawing: Drawing,
  x: ReturnType<typeof scaleBand<string>>,
  values: readonly Cell[],
  y: (value: number) => number,
  look: Look,
): void {
  const points = values.map(
    (value, week): Point => ({
      x: tenths((x(String(week)) ?? 0) + x.bandwidth() / 2),
      y: isNumber(value) ? tenths(y(value)) : null,
    }),
  )
  const isThere = ({ y: height }: Point) => height !== null
  const heightOf = ({ y: height }: Point) => height ?? 0
  const placeOf = ({ x: place }: Point) => place
  if (look.area === true) {
    const fill = area<Point>(placeOf, FRAME.bottom, heightOf).defined(isThere)
    drawing.append('path').attr('class', 'area').attr('d', fill(points))
  }
  drawing
    .append('path')
    .attr('class', look.class ?? 'line')
    .attr('d', line<Point>(placeOf, heightOf).defined(isThere)(points))
  const alone = points.filter(
    (point, index) =>
      point.y !== null && (points[index - 1]?.y ?? null) === null && (points[index + 1]?.y ?? null) === null,
  )
  for (const point of alone) drawDot(drawing, point.x, heightOf(point), 3)
  const value = values.findLast(isNumber)
  const [last, before] = points.flatMap(({ x, y }) => (y === null ? [] : [{ x, y }])).toReversed()
  if (look.nameOf === undefined || value === undefined || last === undefined) return
  drawLast(drawing, last, before !== undefined && before.y < last.y, look.nameOf(value))
}

/** A dot at the end of a line and what it is, beyond the line: below it where it falls. */
function drawLast(
  drawing: Drawing,
  { x, y }: { readonly x: number; readonly y: number },
  isFalling: boolean,
  text: string,
): void {
  drawDot(drawing, x, y, 4)
  const below = y + 18
  drawing
    .append('text')
    .attr('class', 'strong-text')
    // Short of the edge, so that a long number ends there.
    .attr('x', Math.min(x + 12, FRAME.right))
    .attr('y', tenths(isFalling && below < FRAME.bottom ? below : y - 9))
    .attr('text-anchor', 'end')
    .text(text)
}

function drawDot(drawing: Drawing, x: number, y: number, radius: number): void {
  drawing.append('circle').attr('class', 'dot').attr('cx', x).attr('cy', y).attr('r', radius)
}

const wholeNumber = (value: { valueOf(): number }) => (Number.isInteger(Number(value)) ? String(value) : '')
const isNumber = (cell: Cell): cell is number => typeof cell === 'number'
const numberOf = (cell: Cell) => (isNumber(cell) ? cell : 0)
const tenths = (value: number) => Math.round(value * 10) / 10
