import { z } from 'zod'
import type { TokenScope } from '../../database/schema.ts'
import { line, plain } from '../../kernel/fields.ts'
import { isDay } from '../../text/dates.ts'
import { form, sentFields } from '../../web/form.ts'

export const SCOPES = ['read', 'write', 'staff'] as const satisfies readonly TokenScope[]

/** How long a token works unless its owner says otherwise, and at most, in days. */
export const USUAL_DAYS = 90
const MAX_DAYS = 366
const DAY_MS = 86_400_000

const name = line({ min: 1, max: 60, short: 'tokens.name.short', long: 'tokens.name.long' })

/** The boxes that are ticked: one field each, of one name. */
const scopes = z.string().transform((text, context): TokenScope[] => {
  const chosen = SCOPES.filter((scope) => text.split(' ').includes(scope))
  if (chosen.length > 0) return chosen
  context.addIssue({ code: 'custom', message: 'tokens.scopes.none' })
  return z.NEVER
})

/** A day from today on, within a year; empty: in USUAL_DAYS. */
const ends = plain.transform((typed, context) => {
  if (typed.trim() === '') return dayAhead(USUAL_DAYS)
  // A day ahead: somewhere it is tomorrow already.
  if (isDay(typed) && typed >= dayAhead(0) && typed <= dayAhead(MAX_DAYS)) return typed
  context.addIssue({ code: 'custom', message: 'tokens.ends.wrong' })
  return z.NEVER
})

/** Fields of a personal token. `course`: '' for all. */
export const ownToken = { name, scopes, course: z.string().max(100), ends }
export const courseToken = { name, ends }

export const ownTokenForm = form(ownToken)
export const courseTokenForm = form(courseToken)

/** The body of a form, with the boxes that share a name as one text. `staff` is half of a token without `read`, which comes with it. */
export function withScopes(body: unknown): Readonly<Record<string, unknown>> {
  const sent = sentFields(body)
  const chosen = [sent.scopes].flat().filter(isText).join(' ').split(' ')
  const scopes = chosen.includes('staff') && !chosen.includes('read') ? ['read', ...chosen] : chosen
  return { ...sent, scopes: scopes.join(' ') }
}

/** The day that many days after today, in UTC. */
export function dayAhead(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
