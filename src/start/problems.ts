/** The forum cannot start: `message` is one line that says why and what would help. */
export class StartError extends Error {}

/** What a failure to listen means to whoever starts the forum. */
export function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'EADDRINUSE')
    return new StartError(
      `PORT ${port} on ${host} is in use: stop what listens there, or set PORT to another number`,
    )
  if (code === 'EACCES')
    return new StartError(`PORT ${port} may not be opened by this user: set PORT to a number above 1023`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`HOST ${host} is not an address of this machine`)
  return error
}
