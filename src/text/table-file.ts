/**
 * The text of a table as spreadsheets save it: UTF-8 or UTF-16, with a byte order mark or without.
 * @returns null: it is in no such encoding, or no text at all
 */
export function textOfTable(bytes: Uint8Array): string | null {
  try {
    // A byte order mark is taken off by the decoder.
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  // Without a mark: a table begins with a letter, a digit or a quote, which have a zero beside them in UTF-16.
  if (first !== 0 && second === 0) return 'utf-16le'
  return first === 0 && second !== 0 ? 'utf-16be' : 'utf-8'
}
