/** The present version of a text, and the account that wrote it; without one nobody knows. */
interface Present {
  readonly version: number
  readonly writtenBy?: number | null
}

/**
 * The version that an edit began with. One that does not say began with the present text where that is certain: nobody has edited
 * it, or the last to do so was the same person.
 * @param said by the edit; null: it did not say
 * @returns 0, which no post has, where it cannot be known
 */
export function begunWith(said: number | null, { version, writtenBy }: Present, personId: number): number {
  if (said !== null) return said
  return version === 1 || writtenBy === personId ? version : 0
}

/**
 * The version an edit form began with, from its hidden field.
 * @returns null when it does not say; 0, which no post has, when what it says is no version
 */
export function versionOf(body: unknown): number | null {
  if (typeof body !== 'object' || body === null || !('version' in body) || body.version === '') return null
  return typeof body.version === 'string' && /^[1-9]\d{0,8}$/.test(body.version) ? Number(body.version) : 0
}
