import type pg from 'pg'
import type { SessionTarget } from './addresses.ts'
import { isUnavailable } from './failures.ts'

/** The server does not have the role that target_session_attrs asks for. */
export class WrongServer extends Error {
  /** SQLSTATE read_only_sql_transaction: it may be promoted soon (failures.ts). */
  readonly code = '25006'
}

/** None of several hosts is available. */
export class NoServer extends Error {
  /** SQLSTATE sqlclient_unable_to_establish_sqlconnection. */
  readonly code = '08001'
}

/** What a new session reports about its server. */
export interface SessionState {
  readonly is_standby: boolean
  readonly is_read_only: boolean
}

export const SESSION_STATE = `
  select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`

/** @throws WrongServer when the session's server does not have the required role */
export function checkTarget(
  { is_standby, is_read_only }: SessionState,
  target: SessionTarget,
  host: string,
): void {
  if (target === 'any') return
  if (is_standby) throw new WrongServer(`${host} is a standby`)
  if (target === 'read-write' && is_read_only) throw new WrongServer(`${host} can only be read`)
}

/** Calls back when the server reports that its session has become read-only, which it does since PostgreSQL 14. */
export function whenDemoted(client: pg.Client, demoted: () => void): void {
  client.connection.on('parameterStatus', ({ parameterName, parameterValue }: ParameterStatus) => {
    const isAboutWriting =
      parameterName === 'default_transaction_read_only' || parameterName === 'in_hot_standby'
    if (isAboutWriting && parameterValue === 'on') demoted()
  })
}

interface ParameterStatus {
  readonly parameterName: string
  readonly parameterValue: string
}

/**
 * Whether to try the next host after this failure. Not when the server refuses the account (as in libpq), nor when all
 * connections to the right server are in use.
 */
export function leadsToNextHost(error: unknown): boolean {
  return (
    isUnavailable(error) &&
    !(error instanceof Error && /timeout exceeded|Too many queries/.test(error.message))
  )
}

/** One error for the failures of all hosts. */
export function failureOf(failures: readonly unknown[]): unknown {
  if (failures.length === 1) return failures[0]
  const messages = failures.map((failure) => (failure instanceof Error ? failure.message : String(failure)))
  return new NoServer(messages.join('; '))
}
