import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { type Details, EVENTS, type EventName } from './kinds.ts'

/**
 * Logs an event of a request: one line of JSON with the request's id and the account.
 * @param error the cause, with its stack; only for internal errors
 */
export function noteEvent<Name extends EventName>(
  request: FastifyRequest,
  name: Name,
  details: Details<Name>,
  error?: unknown,
): void {
  writeEvent(request.log, name, { personId: request.person?.id ?? null, ...details }, error)
}

/** The same outside a request: a delivered mail, a malformed message on a connection. */
export function writeEvent<Name extends EventName>(
  log: FastifyBaseLogger,
  name: Name,
  details: Details<Name>,
  error?: unknown,
): void {
  const { level, says } = EVENTS[name]
  const line: Record<string, unknown> = { event: name, ...details }
  if (error !== undefined) line.err = error
  log[level](line, says)
}
