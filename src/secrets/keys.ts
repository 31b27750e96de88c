/** The secrets of SECRET: the first signs and encrypts, and what any of them signed or encrypted is accepted. */
export type SecretKeys = readonly [string, ...string[]]

/** The least that SECRET, and each secret in it, must have. */
export const MIN_SECRET_LENGTH = 32

/**
 * Reads SECRET, `new` or `new,old`. A secret of former versions may contain commas itself, so what follows a comma counts both as a
 * whole and in its parts, and the whole value too: what it signed stays valid.
 */
export function readKeys(secret: string): SecretKeys {
  const parts = secret.split(',')
  const [first = secret, ...others] = parts
  const wholes = parts.map((_, index) => parts.slice(index).join(','))
  const olds = [...others, ...wholes].filter((one) => one !== first && one.length >= MIN_SECRET_LENGTH)
  return [first, ...new Set(olds)]
}

/** What is wrong with the value of SECRET, to follow its name; null: nothing. */
export function problemOfSecret(secret: string): string | null {
  if (secret.length < MIN_SECRET_LENGTH) return `must be at least ${MIN_SECRET_LENGTH} characters`
  const comma = secret.indexOf(',')
  if (comma === -1) return null
  const [first, rest] = [secret.slice(0, comma), secret.slice(comma + 1)]
  if (first.length >= MIN_SECRET_LENGTH && rest.length >= MIN_SECRET_LENGTH) return null
  return (
    `contains a comma, which separates a new secret from the old one (SECRET=new,old), so both need at least ${MIN_SECRET_LENGTH} ` +
    'characters: if it is one secret with a comma in it, put a new secret and a comma before it'
  )
}
