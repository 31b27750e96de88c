import { z } from 'zod'
import { optional } from '../../operations/fields.ts'
import { isDay } from '../../text/day.ts'
import { type FormState, form, refuse } from '../../web/form.ts'
import { dayAfter, type Weeks, weeksBetween } from './weeks.ts'

/** What is shown unless a range is asked for. */
export const USUAL_WEEKS = 12
/** A longer range could not be drawn. */
const MAX_WEEKS = 522
/** No forum is older, and no course is planned for later. */
const [FIRST_DAY, LAST_DAY] = ['2000-01-01', '2099-12-31']

const day = z
  .string()
  .refine((text) => isDay(text.trim()), { error: 'figures.range.noDay', abort: true })
  .transform((text) => text.trim())
  .refine((text) => text >= FIRST_DAY && text <= LAST_DAY, { error: 'figures.range.years' })

const rangeForm = form({ from: optional(day), to: optional(day) })

/** The range that a query string asks for: its weeks, or what is wrong with it. */
export type AskedRange = (FormState & { readonly weeks: Weeks }) | (FormState & { readonly weeks: null })

/** @param query `from` and `to`, days or absent: the last twelve weeks of them are meant. @param today in the course */
export function readRange(query: unknown, today: string): AskedRange {
  const read = rangeForm.parse(query)
  if (!read.ok) return { ...read, weeks: null }
  const to = read.values.to ?? today
  const from = read.values.from ?? usualBeginning(to)
  if (from > to)
    return {
      ...refuse(read, read.values.to === null ? 'from' : 'to', 'figures.range.backwards'),
      weeks: null,
    }
  const weeks = weeksBetween(from, to)
  if (weeks.count > MAX_WEEKS) return { ...refuse(read, 'from', 'figures.range.tooLong'), weeks: null }
  return { typed: { from: weeks.from, to: weeks.to }, errors: [], weeks }
}

/** The first day of the last twelve weeks. */
export function usualBeginning(to: string): string {
  return dayAfter(to, -7 * (USUAL_WEEKS - 1))
}

/** A first day, or the first one from which a range may reach until `to`. */
export function earliestBeginning(first: string, to: string): string {
  const [beginning] = [first, dayAfter(to, -7 * (MAX_WEEKS - 1)), FIRST_DAY].sort().toReversed()
  return beginning !== undefined && beginning <= to ? beginning : to
}
