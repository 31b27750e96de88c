import { ConfigError } from '../config.ts'
import { EmbeddedError } from '../database/embedded/error.ts'
import { isReadOnly, isRefused, isUnavailable } from '../database/failures.ts'
import { MigrationError } from '../database/migrations/refuse.ts'

/** Whether the operator can fix it: `message` is then one line that is complete by itself. */
export function isExpected(error: unknown): error is Error {
  return [StartError, ConfigError, EmbeddedError, MigrationError].some((kind) => error instanceof kind)
}

/** The forum cannot start: `message` is one line with the reason and what to do. */
export class StartError extends Error {}

const WRITABLE =
  'name the primary, or all hosts, as in postgres://…@host1,host2/handup?target_session_attrs=read-write'

/** Explains a failure to open and migrate DATABASE_URL; returns unexpected errors as they are. */
export function databaseError(error: unknown): unknown {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return error
  // An AggregateError, with an error for each address of a name, has no message of its own.
  const message = cause.message || (cause instanceof AggregateError ? String(cause.errors[0]?.message) : '')
  if (isReadOnly(cause)) return new StartError(`DATABASE_URL is read-only (${message}): ${WRITABLE}`)
  if (isUnavailable(cause)) return new StartError(`DATABASE_URL does not answer: ${message}`)
  return isRefused(cause) ? new StartError(`DATABASE_URL can’t be used: ${message}`) : error
}

/** Explains a failure to listen. @param prefix of the variables for host and port: METRICS_ */
export function listenError(error: unknown, host: string, port: number, prefix = ''): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  const [PORT, HOST] = [`${prefix}PORT`, `${prefix}HOST`]
  if (code === 'EADDRINUSE')
    return new StartError(
      `${PORT} ${port} on ${host} is in use: stop the program that uses it, or set ${PORT} to another number`,
    )
  if (code === 'EACCES')
    return new StartError(`${PORT} ${port} can’t be opened by this user: set ${PORT} to a number above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`${HOST} ${host} is not an address of this machine`)
  return error
}
