import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { type AuditEntry, auditEntryOf } from './entry.ts'
import { type Details, EVENTS, type EventName } from './kinds.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Entries that this request noted for the audit log outside of an operation, written before it is answered; null: nothing. */
    auditEntries: AuditEntry[] | null
  }
}

/**
 * Logs an event of a request: one line of JSON with the request's id and the account. One for the audit log is written before the
 * answer; an operation notes its events itself, in its transaction.
 * @param error the cause, with its stack; only for internal errors
 */
export function noteEvent<Name extends EventName>(
  request: FastifyRequest,
  name: Name,
  details: Details<Name>,
  error?: unknown,
): void {
  const noted = { personId: request.person?.id ?? null, ...details }
  const entry = auditEntryOf(name, noted)
  if (entry !== null) request.auditEntries = [...(request.auditEntries ?? []), entry]
  logEvent(request, name, noted, error)
}

/** Writes the line of an event of a request, with the network address where its kind has one. */
export function logEvent<Name extends EventName>(
  request: FastifyRequest,
  name: Name,
  details: Details<Name>,
  error?: unknown,
): void {
  const fields: readonly string[] = EVENTS[name].fields
  const address = fields.includes('address') ? { address: request.ip } : {}
  writeEvent(request.log, name, { ...address, ...details }, error)
}

/** How many events of each name this process has noted, and of jobs and mails that came in of each kind or outcome. */
export const eventCounts: Map<string, { readonly event: EventName; readonly about: string; count: number }> =
  new Map()

/** The same outside a request: a delivered mail, a malformed message on a connection. */
export function writeEvent<Name extends EventName>(
  log: FastifyBaseLogger,
  name: Name,
  details: Details<Name>,
  error?: unknown,
): void {
  const { level, says } = EVENTS[name]
  const line: Record<string, unknown> = { event: name, ...details }
  countEvent(name, line)
  if (error !== undefined) line.err = error
  log[level](line, says)
}

/** Fields with few values that say what an event was about. */
const ABOUT: Partial<Record<EventName, (line: Readonly<Record<string, unknown>>) => string>> = {
  'job-failed': ({ kind, isGivenUp }) => `${kind}${isGivenUp === true ? ' given up' : ''}`,
  'mail-sent': ({ kind }) => String(kind),
  'mail-received': ({ outcome }) => String(outcome),
}

function countEvent(event: EventName, line: Readonly<Record<string, unknown>>): void {
  const about = ABOUT[event]?.(line) ?? ''
  const key = `${event} ${about}`
  const known = eventCounts.get(key)
  if (known === undefined) eventCounts.set(key, { event, about, count: 1 })
  else known.count += 1
}
