import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SecretKeys } from '../../secrets/keys.ts'

/** What a link in a mail ends: all mail of what is new, the weekly mail to staff, or what is told of one course or question. */
export type Scope =
  | { readonly what: 'all' }
  | { readonly what: 'week' }
  | { readonly what: 'course' | 'question'; readonly id: number }

export const SCOPES = ['all', 'week', 'course', 'question'] as const satisfies readonly Scope['what'][]

/** @param id of the course or the question */
export function scopeOf(what: Scope['what'], id: number): Scope {
  return what === 'course' || what === 'question' ? { what, id } : { what }
}

export interface Unsubscribing {
  readonly personId: number
  readonly scope: Scope
}

const PATTERN = /^([1-9]\d{0,14})\.(all|week|course|question)\.(0|[1-9]\d{0,14})$/

/** Names a person and what ends, signed and without an end of its own: mails are opened years later. */
export function unsubscribeToken(secret: string, { personId, scope }: Unsubscribing): string {
  const named = `${personId}.${scope.what}.${'id' in scope ? scope.id : 0}`
  return `${named}.${signatureOf(secret, named)}`
}

/** @returns null: it was made with none of these keys */
export function readUnsubscribeToken(keys: SecretKeys, token: string): Unsubscribing | null {
  const at = token.lastIndexOf('.')
  const [named, signature] = [token.slice(0, Math.max(0, at)), token.slice(at + 1)]
  const match = PATTERN.exec(named)
  if (match === null || !keys.some((secret) => isSame(signatureOf(secret, named), signature))) return null
  const [, personId, what, id] = match
  const known = SCOPES.find((one) => one === what)
  return known === undefined ? null : { personId: Number(personId), scope: scopeOf(known, Number(id)) }
}

function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}

function signatureOf(secret: string, named: string): string {
  return createHmac('sha256', secret).update(`unsubscribe ${named}`).digest('base64url').slice(0, 32)
}
