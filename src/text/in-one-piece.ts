/** The same text, on its own: one put together of others, or cut out of one, holds on to all of them. */
export function inOnePiece(text: string): string {
  return Buffer.from(text).toString()
}
