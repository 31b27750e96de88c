/** An export that can't be written or read: `message` is one line that says what and, of a file, where. */
export class ExchangeError extends Error {}

export function unreadable(path: string, error: unknown): ExchangeError {
  const reason = error instanceof Error ? error.message : String(error)
  return new ExchangeError(`${path} can’t be read: ${reason}`, { cause: error })
}
