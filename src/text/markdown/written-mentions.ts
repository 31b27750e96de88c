/**
 * `@[Name](person:12)`, as the editor writes it. Of fixed length at most, and no part can match what the next one does: reading it
 * never goes back.
 */
export const WRITTEN = /@\[([^[\]\n]{1,100})\]\(person:([1-9]\d{0,14})\)/g
const WRITTEN_HERE = new RegExp(WRITTEN, 'y')

/** A mention in the source of a text. */
export interface WrittenMention {
  readonly personId: number
  /** As it was typed. */
  readonly name: string
  /** Characters (UTF-16) of the source that it takes. */
  readonly length: number
}

/** The mention that begins at a position of a source; null: none does. */
export function mentionAt(source: string, position: number): WrittenMention | null {
  WRITTEN_HERE.lastIndex = position
  const [words, name, id] = WRITTEN_HERE.exec(source) ?? []
  if (words === undefined || name === undefined) return null
  return { personId: Number(id), name, length: words.length }
}
