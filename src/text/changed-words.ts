import { diffArrays, wordsWithSpaceDiff } from 'diff'
import { remembered } from './words/remembered.ts'

export interface Piece {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
}

/**
 * Comparisons that one difference may take, some 10 ms: lines take half of them at most, words of changed lines the rest. Counted
 * instead of timed, so that a busy machine shows the same.
 */
export const MAX_COMPARISONS = 100_000
/** Differences that a process remembers: what two versions say never changes. */
const MAX_REMEMBERED = 50
/** Between the texts of a key: no post has it. */
const BETWEEN = '\0'

/** How many more comparisons, of lines or of words, a difference may make. */
export interface Budget {
  left: number
}

/** The words that a newer text added and took away, in the order of reading. Computed once for two texts. */
export function changedWords(older: string, newer: string): readonly Piece[] {
  return rememberedChanges(`${older}${BETWEEN}${newer}`)
}

const rememberedChanges = remembered((both) => {
  const at = both.indexOf(BETWEEN)
  return changesWithin(both.slice(0, at), both.slice(at + 1), { left: MAX_COMPARISONS })
}, MAX_REMEMBERED)

/**
 * Compares lines, and the words of the lines that changed. Lines for whose words the budget is too small
 * count as changed in whole.
 * @param budget is used up
 */
export function changesWithin(older: string, newer: string, budget: Budget): Piece[] {
  const forWords = budget.left / 2
  const lines = { left: budget.left - forWords }
  const changes = differenceOf(linesOf(older), linesOf(newer), lines)
  budget.left = forWords + lines.left
  const pieces: Piece[] = []
  for (const [index, change] of changes.entries()) {
    const next = changes[index + 1]
    if (change.kind === 'removed' && next?.kind === 'added')
      pieces.push(...differenceOf(wordsOf(change.text), wordsOf(next.text), budget))
    else if (change.kind !== 'added' || changes[index - 1]?.kind !== 'removed') pieces.push(change)
  }
  return joined(pieces)
}

export function countWords(pieces: readonly Piece[]): { readonly added: number; readonly removed: number } {
  const count = (kind: Piece['kind']) =>
    pieces
      .filter((one) => one.kind === kind)
      .reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0)
  return { added: count('added'), removed: count('removed') }
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
const wordsOf = (text: string): string[] => wordsWithSpaceDiff.tokenize(text)

/** What is between the parts that both begin and end with: compared as far as the budget goes, or changed in whole. */
function differenceOf(older: readonly string[], newer: readonly string[], budget: Budget): Piece[] {
  const shorter = Math.min(older.length, newer.length)
  let [start, end] = [0, 0]
  while (start < shorter && older[start] === newer[start]) start += 1
  while (end < shorter - start && older.at(-1 - end) === newer.at(-1 - end)) end += 1
  const middle = (parts: readonly string[]) => parts.slice(start, parts.length - end)
  const pieces = compared(middle(older), middle(newer), budget) ?? [
    { kind: 'removed', text: middle(older).join('') },
    { kind: 'added', text: middle(newer).join('') },
  ]
  const same = (parts: readonly string[]): Piece => ({ kind: 'same', text: parts.join('') })
  return joined([same(older.slice(0, start)), ...pieces, same(older.slice(older.length - end))])
}

class TooMuch extends Error {}

/** @returns null: there is more to compare than the budget allows */
function compared(older: readonly string[], newer: readonly string[], budget: Budget): Piece[] | null {
  const numbers = new Map<string, number>()
  // Long words that are alike to their last letter are compared by number, too.
  const numberOf = (part: string) => {
    const number = numbers.get(part) ?? numbers.size
    numbers.set(part, number)
    return number
  }
  const comparator = (one: number, other: number) => {
    budget.left -= 1
    if (budget.left < 0) throw new TooMuch()
    return one === other
  }
  try {
    const changes = diffArrays(older.map(numberOf), newer.map(numberOf), { comparator })
    const parts = [...numbers.keys()]
    return changes.map(({ added, removed, value }) => ({
      kind: added ? 'added' : removed ? 'removed' : 'same',
      text: value.map((number) => parts[number]).join(''),
    }))
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error
    budget.left = 0
    return null
  }
}

/** Pieces of one kind beside each other are one; empty ones are none. */
function joined(pieces: readonly Piece[]): Piece[] {
  const all: Piece[] = []
  for (const piece of pieces) {
    const last = all.at(-1)
    if (last?.kind === piece.kind) all[all.length - 1] = { ...last, text: last.text + piece.text }
    else if (piece.text !== '') all.push(piece)
  }
  return all
}
