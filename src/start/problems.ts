import { isRefused, isUnavailable } from '../database/failures.ts'

/** The forum cannot start: `message` is one line that says why and what would help. */
export class StartError extends Error {}

/** What a failure to open and migrate DATABASE_URL means; anything but the address and its account is ours to explain. */
export function databaseError(error: unknown): unknown {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return error
  // An AggregateError, of each address a name stands for, says nothing itself.
  const message = cause.message || (cause instanceof AggregateError ? String(cause.errors[0]?.message) : '')
  if (isUnavailable(cause)) return new StartError(`DATABASE_URL does not answer: ${message}`)
  return isRefused(cause) ? new StartError(`DATABASE_URL cannot be used: ${message}`) : error
}

/** What a failure to listen means to whoever starts the forum. @param prefix of the variables that say where: METRICS_ */
export function listenError(error: unknown, host: string, port: number, prefix = ''): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  const [PORT, HOST] = [`${prefix}PORT`, `${prefix}HOST`]
  if (code === 'EADDRINUSE')
    return new StartError(
      `${PORT} ${port} on ${host} is in use: stop what listens there, or set ${PORT} to another number`,
    )
  if (code === 'EACCES')
    return new StartError(
      `${PORT} ${port} may not be opened by this user: set ${PORT} to a number above 1023`,
    )
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`${HOST} ${host} is not an address of this machine`)
  return error
}
