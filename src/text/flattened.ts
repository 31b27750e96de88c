/** A flat copy of a text: V8 keeps the parts of a concatenation, and the whole text behind a substring, in memory. */
export function flattened(text: string): string {
  return Buffer.from(text).toString()
}
