/** The secrets of SECRET: the first signs and encrypts, and what any of them signed or encrypted is accepted. */
export type SecretKeys = readonly [string, ...string[]]

/** The least that SECRET, and each secret in it, must have. */
export const MIN_SECRET_LENGTH = 32

/**
 * Reads SECRET: one secret, or `new,old`. A comma separates two secrets only where both sides are long enough for one, as
 * secrets of former versions may contain commas. Those go on working: what follows a comma counts both as a whole and in its
 * parts, and the whole value does too.
 */
export function readKeys(secret: string): SecretKeys {
  const parts = secret.split(',')
  const wholes = parts.map((_, index) => parts.slice(index).join(','))
  const [first = secret] = parts
  const [, rest = ''] = wholes
  const current = isLong(first) && isLong(rest) ? first : secret
  return [current, ...new Set([...parts, ...wholes].filter((one) => one !== current && isLong(one)))]
}

/** The error in the value of SECRET, to follow its name; null: none. */
export function problemOfSecret(secret: string): string | null {
  if (!isLong(secret)) return `must be at least ${MIN_SECRET_LENGTH} characters`
  if (!secret.split(',').some((part) => part.trim() === '')) return null
  return 'has nothing before or after a comma: a comma separates a new secret from the old one (SECRET=new,old)'
}

const isLong = (secret: string) => secret.length >= MIN_SECRET_LENGTH
