import type { FastifyBaseLogger } from 'fastify'
import { writeEvent } from '../audit-log/note.ts'
import type { Job } from './table.ts'

/** Writes an event for each job that failed. */
export function noteFailures(
  log: FastifyBaseLogger,
  kind: string,
  jobs: readonly Job[],
  reason: string,
  isGivenUp: boolean,
): void {
  for (const { key, tries } of jobs)
    writeEvent(log, 'job-failed', { kind, key, tries, reason: withoutAddresses(reason), isGivenUp })
}

/** Mail servers repeat the recipient in their messages. */
function withoutAddresses(reason: string): string {
  return reason.slice(0, 500).replace(/\S+@\S+/g, '…@…')
}
