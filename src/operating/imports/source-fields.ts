import { createHash } from 'node:crypto'
import { z } from 'zod'
import { isName, isPast, MAX_COUNT, NO_NAME } from '../exchange/format.ts'

/** Nothing was posted before. */
const EARLIEST = Date.UTC(1970, 0, 1)

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9}))?(Z|[+-]\d\d:?\d\d)?$/i

/**
 * A time in ISO 8601; without a zone it is in UTC.
 * @returns null: it is none, there is no such day, or nothing can have been posted then
 */
export function timeIn(text: string): Date | null {
  const [, day = '', minutes = '', seconds = ':00', part = '0', zone = 'Z'] = TIME.exec(text.trim()) ?? []
  const local = `${day}T${minutes}${seconds}`
  const time = new Date(`${local}.${part.slice(0, 3).padEnd(3, '0')}${zone}`)
  const isPossible = time.getTime() >= EARLIEST && isPast(time.getTime())
  // JavaScript finds another day for one that there is not.
  return isPossible && new Date(`${local}Z`).toISOString().startsWith(local) ? time : null
}

export const when = z.string().transform((text, context) => {
  const time = timeIn(text)
  if (time !== null) return time
  context.addIssue(`${JSON.stringify(text.slice(0, 40))} is not a time`)
  return z.NEVER
})

/** What is known and has no place here: it is no news. */
export function ignored(names: string): Record<string, z.ZodOptional<z.ZodUnknown>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, z.unknown().optional()]))
}

/** An id that is a number in some answers and a text in others. */
export const idText = z.union([z.int().transform(String), z.string().min(1).max(100).refine(isName, NO_NAME)])

/** A count within the format's range. */
export const countOf = (value: number | null | undefined): number =>
  Math.max(-MAX_COUNT, Math.min(MAX_COUNT, Math.trunc(value ?? 0)))

/** Of somebody whom a file names without an id: the same in every export of this origin. */
export function personKey(origin: string, said: string): string {
  return createHash('sha256')
    .update(`${origin}\n${said.normalize('NFC').toLowerCase()}`)
    .digest('hex')
    .slice(0, 32)
}

/** The HTML of text that has no markup. */
export const plainHtml = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('')

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
