import { z } from 'zod'

/** Nothing was posted before; and nothing later than tomorrow, however clocks differ. */
const EARLIEST = Date.UTC(1970, 0, 1)
const DAY_MS = 24 * 60 * 60 * 1000

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/i

/**
 * A time in ISO 8601; without a zone it is in UTC.
 * @returns null: it is none, there is no such day, or nothing can have been posted then
 */
export function timeIn(text: string): Date | null {
  const [, day = '', minutes = '', seconds = ':00', part = '0', zone = 'Z'] = TIME.exec(text.trim()) ?? []
  const local = `${day}T${minutes}${seconds}`
  const time = new Date(`${local}.${part.slice(0, 3).padEnd(3, '0')}${zone}`)
  const isPossible = time.getTime() >= EARLIEST && time.getTime() < Date.now() + DAY_MS
  // JavaScript finds another day for one that there is not.
  return isPossible && new Date(`${local}Z`).toISOString().startsWith(local) ? time : null
}

export const when = z.string().transform((text, context) => {
  const time = timeIn(text)
  if (time !== null) return time
  context.addIssue(`${JSON.stringify(text.slice(0, 40))} is not a time`)
  return z.NEVER
})

const MAX_COUNT = 2_147_483_647
/** A count within the format's range. */
export const countOf = (value: number | null | undefined): number =>
  Math.max(-MAX_COUNT, Math.min(MAX_COUNT, Math.trunc(value ?? 0)))
