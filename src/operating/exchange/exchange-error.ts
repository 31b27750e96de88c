/** An export that can't be written or read: `message` is one line that says what and, of a file, where. */
export class ExchangeError extends Error {}
