import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { type Details, EVENTS, type EventName } from './kinds.ts'

/**
 * Notes an event of a request: one line of JSON with the request's id and the account.
 * @param error what went wrong, with its stack; only for mistakes of ours and of the machine
 */
export function noteEvent<Name extends EventName>(
  request: FastifyRequest,
  name: Name,
  details: Details<Name>,
  error?: unknown,
): void {
  writeEvent(request.log, name, { personId: request.person?.id ?? null, ...details }, error)
}

/** The same for what nobody asked for: a mail that goes, a connection that says nothing we understand. */
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
