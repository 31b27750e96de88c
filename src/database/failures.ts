/** SQLSTATE classes and codes that mean "not now", from PostgreSQL's appendix A (Error Codes). */
const PASSING = [
  /^08/, // connection exceptions
  /^53/, // out of connections, memory, disk
  /^57/, // shut down, starting up, statement timeout
  /^58/, // input/output errors
  /^40/, // serialization failure, deadlock
  /^55P03$/, // lock timeout
  /^25006$/, // read-only while failing over
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH)$/,
]

const MESSAGES = [
  /timeout exceeded when trying to connect/,
  /Too many queries wait for a connection/,
  /Connection terminated/,
  /Client has encountered a connection error/,
  /Query read timeout/,
]

/** Whether a failed query may well succeed a little later: the database is away, overloaded or starting. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (code !== null && PASSING.some((pattern) => pattern.test(code))) return true
  return MESSAGES.some((pattern) => pattern.test(error.message))
}

/** Whether a statement waited too long for a lock, or in a circle with others. */
export function isLockedOut(error: unknown): boolean {
  return error instanceof Error && /^(55P03|40P01)$/.test(codeOf(error) ?? '')
}

/** Whether the server knows no such account or database, or lets it do nothing: classes 28 and 3D, 42501. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && /^(28|3D|42501$)/.test(codeOf(error) ?? '')
}

/** Whether a parameter could not be a value of its column: a character PostgreSQL has no place for, a number too large. */
export function isUnstorable(error: unknown): boolean {
  return error instanceof Error && /^22(003|021|P02|P05)$/.test(codeOf(error) ?? '')
}

function codeOf(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? error.code : null
}
