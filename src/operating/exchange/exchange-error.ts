/** An export that can't be written or read: `message` is one line that says what and, of a file, where. */
export class ExchangeError extends Error {}

export function unreadable(path: string, error: unknown): ExchangeError {
  const said = error instanceof Error ? error.message : String(error)
  // Where the forum has it for a moment tells nobody anything.
  const reason = said.replace(/, \w+ '\/.*'$/s, '')
  return new ExchangeError(`${path} can’t be read: ${reason}`, { cause: error })
}
