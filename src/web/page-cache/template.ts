import { PLACEHOLDER } from '../placeholder.ts'

/** A page without what each person has of their own, and where that belongs. */
export interface Template {
  readonly bytes: Buffer
  /** In their order; `at` in bytes. */
  readonly slots: readonly { readonly at: number; readonly name: string }[]
}

/** Takes the placeholders out of a page. */
export function templateOf(html: Buffer): Template {
  const texts: Buffer[] = []
  const slots: { at: number; name: string }[] = []
  let at = 0
  for (const [index, part] of html.toString().split(PLACEHOLDER).entries()) {
    const bytes = Buffer.from(part)
    if (index % 2 === 0) {
      texts.push(bytes)
      at += bytes.length
    }
    // A copy: a string that is part of the page's text keeps all of it in memory.
    else slots.push({ at, name: bytes.toString() })
  }
  return { bytes: Buffer.concat(texts), slots }
}

/** The page as one person gets it. @param textOf the HTML that stands in a slot */
export function filledIn({ bytes, slots }: Template, textOf: (slot: string) => string): Buffer {
  const pieces: Buffer[] = []
  let from = 0
  for (const { at, name } of slots) {
    const value = textOf(name)
    // Most people have nothing of their own in most slots.
    if (value === '') continue
    pieces.push(bytes.subarray(from, at), Buffer.from(value))
    from = at
  }
  return Buffer.concat([...pieces, bytes.subarray(from)])
}
