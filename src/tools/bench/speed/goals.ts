import { row } from '../../../text/markdown-table.ts'
import type { Result } from './page-requests.ts'

/** A figure with a lower or upper bound. */
export interface Goal {
  readonly name: string
  readonly figure: string
  readonly goal: string
  readonly isMet: boolean | null
}

/** @param unit after both numbers */
export function atLeast(name: string, value: number, least: number, unit = ''): Goal {
  return { name, figure: `${number(value)}${unit}`, goal: `≥ ${number(least)}${unit}`, isMet: value >= least }
}

/** @param value null: not available on this machine */
export function atMost(name: string, value: number | null, most: number, unit = ''): Goal {
  const figure = value === null ? 'not known here' : `${number(value)}${unit}`
  return { name, figure, goal: `≤ ${number(most)}${unit}`, isMet: value === null ? null : value <= most }
}

export function goalRow({ name, figure, goal, isMet }: Goal): string {
  return row(name, figure, goal, isMet === null ? '–' : isMet ? 'yes' : '**no**')
}

export const GOAL_HEAD = ['goal', 'measured', 'wanted', 'met']

export const LOAD_HEAD = [
  '',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'server’s processor time a request',
  'of the reference',
]

/** @param reference to compare with; null: this row is the reference */
export function loadRow(name: string, result: Result, reference: Result | null): string {
  return row(
    name,
    whole(result.perSecond),
    result.p50.toFixed(2),
    result.p99.toFixed(2),
    result.processor === null ? '–' : `${Math.round(result.processor)} µs`,
    reference === null ? '' : `× ${ratio(result, reference).toFixed(2)}`,
  )
}

/** Ratio of two loads: the median of the ratios of their rounds, because the machine's speed varies. */
export function ratio(one: Result, other: Result): number {
  const ratios = (one.rounds ?? [one.perSecond]).map((perSecond, round) => {
    return perSecond / (other.rounds?.[round] ?? other.perSecond)
  })
  const sorted = ratios.toSorted((first, second) => first - second)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const whole = (value: number) => Math.round(value).toLocaleString('en')
const number = (value: number) => (value >= 100 ? whole(value) : String(Number(value.toFixed(2))))
