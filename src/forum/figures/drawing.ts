import { type ScaleBand, scaleBand, scaleLinear, scaleLog } from 'd3-scale'
import { area, line } from 'd3-shape'
import type { Cell } from './tally.ts'

/*
 * The numbers of charts, which views/figures/_drawing.eta draws as SVG: axes, lines, and groups of bars, one a class. Loaded when the
 * first figures are shown.
 */

const HEIGHT = 196
const HOURS_HEIGHT = 164
const FRAME = { left: 44, right: 478, top: 16, bottom: 166 } as const
const TICKS = 4
const LABELS = 6
const DAY = 86_400
/** Seconds that a wait's axis may name: a minute, ten, an hour, six, a day, a week, thirty days, a year. */
const WAIT_TICKS = [60, 600, 3600, 6 * 3600, DAY, 7 * DAY, 30 * DAY, 365 * DAY] as const

export type Drawing = ReturnType<typeof weekBars | typeof waitLines | typeof shareLine | typeof hourCells>

/** Two bars a week: many, and beside them what came of them. @param labels of the weeks */
export function weekBars(labels: readonly string[], pairs: readonly (readonly [Cell, Cell])[]) {
  const most = Math.max(1, ...pairs.flat().map(numberOf))
  const y = scaleLinear([0, most], [FRAME.bottom, FRAME.top]).nice(TICKS)
  const x = weekScale(labels)
  const width = x.bandwidth() / 2
  const bars = ['bar-q', 'bar-a'].map((name, index) =>
    pairs.map((pair, week) => {
      const top = y(numberOf(pair[index] ?? null))
      return {
        class: name,
        x: tenths(placeOf(x, String(week)) + index * width),
        y: tenths(top),
        width: tenths(width * 0.92),
        height: tenths(FRAME.bottom - top),
        radius: 0,
      }
    }),
  )
  const values = valueAxis(y, y.ticks(TICKS), (value) => (Number.isInteger(value) ? String(value) : ''))
  return { height: HEIGHT, axes: [weekAxis(x, labels), values], bars, lines: [] }
}

/** The median as a line over an area and the ninetieth percentile above it, on a logarithmic scale. */
export function waitLines(
  labels: readonly string[],
  waits: readonly { readonly median: Cell; readonly ninetieth: Cell }[],
  nameOf: (seconds: number) => string,
) {
  const measured = waits.flatMap(({ median, ninetieth }) => [median, ninetieth]).filter(isNumber)
  const all = measured.length > 0 ? measured : [3600, DAY]
  const least = Math.max(60, Math.min(...all, DAY))
  const most = Math.max(...all, 3600)
  const inside = WAIT_TICKS.filter((tick) => tick >= least && tick <= most)
  const first = WAIT_TICKS.findLast((tick) => tick <= least) ?? 60
  const last = WAIT_TICKS.find((tick) => tick >= most) ?? most
  const y = scaleLog([first, last], [FRAME.bottom, FRAME.top]).clamp(true)
  const x = weekScale(labels)
  const medians = waits.map(({ median }) => median)
  const ninetieths = waits.map(({ ninetieth }) => ninetieth)
  return {
    height: HEIGHT,
    axes: [weekAxis(x, labels), valueAxis(y, [...new Set([first, ...inside, last])], nameOf)],
    bars: [],
    lines: [lineOf(x, y, medians, nameOf), lineOf(x, y, ninetieths, null)],
  }
}

export function shareLine(
  labels: readonly string[],
  shares: readonly Cell[],
  nameOf: (share: number) => string,
) {
  const y = scaleLinear([0, 1], [FRAME.bottom, FRAME.top])
  const x = weekScale(labels)
  const axes = [weekAxis(x, labels), valueAxis(y, y.ticks(TICKS), nameOf)]
  return { height: HEIGHT, axes, bars: [], lines: [lineOf(x, y, shares, nameOf)] }
}

/** The hours of the week, a row a day: the more, the fuller. */
export function hourCells(days: readonly string[], hours: readonly Cell[]) {
  const hourNames = Array.from({ length: 24 }, (_, hour) => String(hour))
  const x = scaleBand(hourNames, [FRAME.left, FRAME.right]).paddingInner(0.1)
  const y = scaleBand(days, [2, 140]).paddingInner(0.14)
  const most = Math.max(1, ...hours.map(numberOf))
  const cells = hours.map((count, hour) => ({
    class: `heat-${Math.ceil((numberOf(count) / most) * 4)}`,
    x: tenths(placeOf(x, String(hour % 24))),
    y: tenths(placeOf(y, days[Math.floor(hour / 24)] ?? '')),
    width: tenths(x.bandwidth()),
    height: tenths(y.bandwidth()),
    radius: 3,
  }))
  const named = ['0', '6', '12', '18', '23'].map((hour) => ({ x: middleOf(x, hour), y: 0, text: hour }))
  const ofDays = days.map((day) => ({ x: 0, y: middleOf(y, day), text: day }))
  const axes = [
    { ...BELOW, y: 140, ticks: named },
    { ...BESIDE, x: 40, text: { ...BESIDE.text, x: -4 }, ticks: ofDays },
  ]
  return { height: HOURS_HEIGHT, axes, bars: [cells], lines: [] }
}

/** Axes: `text` is where a tick's stands beside it, `across` the width of a line that begins there. */
const BELOW = { x: 0, anchor: 'middle', across: 0, text: { x: 0, y: 8, dy: '0.71em' } } as const
const BESIDE = { y: 0, anchor: 'end', across: 0, text: { x: -6, y: 0, dy: '0.32em' } } as const

function weekScale(labels: readonly string[]): ScaleBand<string> {
  return scaleBand(
    labels.map((_, week) => String(week)),
    [FRAME.left, FRAME.right],
  ).padding(0.2)
}

function weekAxis(x: ScaleBand<string>, labels: readonly string[]) {
  const step = Math.max(1, Math.ceil(labels.length / LABELS))
  const ticks = labels.flatMap((text, week) =>
    week % step === 0 ? [{ x: middleOf(x, String(week)), y: 0, text }] : [],
  )
  return { ...BELOW, y: FRAME.bottom, ticks }
}

function valueAxis(
  y: (value: number) => number,
  values: readonly number[],
  nameOf: (value: number) => string,
) {
  // Half a pixel further, where a line of one pixel is sharp.
  const ticks = values.map((value) => ({ x: 0, y: tenths(y(value) + 0.5), text: nameOf(value) }))
  return { ...BESIDE, x: FRAME.left, across: FRAME.right - FRAME.left, ticks }
}

type Point = { readonly x: number; readonly y: number | null }

/**
 * A line that breaks where there is no number; a number between two gaps is a dot.
 * @param nameOf there is an area below the line, and its last number is a dot and written beside it; null: a
 * line alone
 */
function lineOf(
  scale: ScaleBand<string>,
  y: (value: number) => number,
  values: readonly Cell[],
  nameOf: ((value: number) => string) | null,
) {
  const points = values.map(
    (value, week): Point => ({
      x: middleOf(scale, String(week)),
      y: isNumber(value) ? tenths(y(value)) : null,
    }),
  )
  const isThere = (point: Point | undefined) => (point?.y ?? null) !== null
  const heightOf = (point: Point) => point.y ?? 0
  const alone = points.filter(
    (point, index) => isThere(point) && !isThere(points[index - 1]) && !isThere(points[index + 1]),
  )
  const dots = alone.map((point) => ({ x: point.x, y: heightOf(point), radius: 3 }))
  const path = line<Point>(({ x }) => x, heightOf).defined(isThere)
  const drawn = { class: nameOf === null ? 'line upper' : 'line', path: path(points) ?? '' }
  if (nameOf === null) return { ...drawn, area: null, dots, last: null }
  const fill = area<Point>(({ x }) => x, FRAME.bottom, heightOf).defined(isThere)
  const [last, before] = points.filter(isThere).toReversed()
  const value = values.findLast(isNumber)
  if (last === undefined || value === undefined)
    return { ...drawn, area: fill(points) ?? '', dots, last: null }
  const [height, below] = [heightOf(last), heightOf(last) + 18]
  const isFalling = before !== undefined && heightOf(before) < height
  return {
    ...drawn,
    area: fill(points) ?? '',
    dots: [...dots, { x: last.x, y: height, radius: 4 }],
    last: {
      // Short of the edge, so that a long number ends there.
      x: Math.min(last.x + 12, FRAME.right),
      // Beyond the line: below it where it falls.
      y: tenths(isFalling && below < FRAME.bottom ? below : height - 9),
      text: nameOf(value),
    },
  }
}

const placeOf = (scale: ScaleBand<string>, name: string) => scale(name) ?? 0
const middleOf = (scale: ScaleBand<string>, name: string) =>
  tenths(placeOf(scale, name) + scale.bandwidth() / 2)
const isNumber = (cell: Cell): cell is number => typeof cell === 'number'
const numberOf = (cell: Cell) => (isNumber(cell) ? cell : 0)
const tenths = (value: number) => Math.round(value * 10) / 10
