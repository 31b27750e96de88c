import { type ChangeObject, diffWordsWithSpace } from 'diff'

/** A piece of a text: in both, only in the newer, or only in the older. */
export interface Piece {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/** Words that may differ until texts count as wholly different: the work grows with the square. */
const MAX_DIFFERENT_WORDS = 2_000

/** The words that a newer text added and took away, in the order of reading. */
export function changedWords(older: string, newer: string): Piece[] {
  const changes = diffWordsWithSpace(older, newer, { maxEditLength: MAX_DIFFERENT_WORDS })
  if (changes === undefined)
    return [piece('removed', older), piece('added', newer)].filter(({ text }) => text !== '')
  return changes.map((change) => piece(kindOf(change), change.value))
}

/** How many words were added and taken away. */
export function countWords(pieces: readonly Piece[]): { readonly added: number; readonly removed: number } {
  const count = (kind: Piece['kind']) =>
    pieces
      .filter((one) => one.kind === kind)
      .reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0)
  return { added: count('added'), removed: count('removed') }
}

function piece(kind: Piece['kind'], text: string): Piece {
  return { kind, text }
}

function kindOf({ added, removed }: ChangeObject<string>): Piece['kind'] {
  if (added) return 'added'
  return removed ? 'removed' : 'same'
}
