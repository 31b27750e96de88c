import type { Occurrence, OccurrenceFinder } from '../../text/occurrences.ts'
import type { SearchableText } from '../../text/searchable-text.ts'
import { isPair } from '../../text/terms.ts'

/** A stretch of a post around the words that were searched for, as parts to show one after another. */
export interface Snippet {
  readonly parts: readonly { readonly text: string; readonly isMarked: boolean }[]
  /** Which answer it is from; null: the question. */
  readonly answerId: number | null
}

/** A text of a thread: the question's body, an answer, or a reply under one. */
export interface SnippetSource {
  readonly text: SearchableText
  readonly answerId: number | null
}

/** How long a snippet is, in UTF-16 units. */
const LENGTH = 220
/**
 * The stretch with the most different words of a query, of the texts in their order: an earlier text wins a tie.
 * Plain text in, plain text out: the template escapes it.
 * @param sources read one after another, and none after the first that has all the words
 * @param wordsCount how many different words (lexemes) `find` looks for
 */
export function snippetOf(
  sources: Iterable<SnippetSource>,
  find: OccurrenceFinder,
  wordsCount: number,
): Snippet {
  let best: { source: SnippetSource; window: Window } | null = null
  for (const source of sources) {
    const window = bestWindow(find(source.text), wordsCount)
    if (best === null || window.words > best.window.words) best = { source, window }
    if (window.words >= wordsCount) break
  }
  if (best === null) return { parts: [], answerId: null }
  return { parts: partsOf(best.source.text.text, best.window), answerId: best.source.answerId }
}

/** Marks the words of a query in a short text such as a title. */
export function markedText(text: SearchableText, find: OccurrenceFinder): Snippet['parts'] {
  return cutParts(text.text, 0, text.text.length, withoutFragments([...find(text)]))
}

interface Window {
  readonly start: number
  readonly words: number
  readonly marked: readonly Occurrence[]
}

/** Slides over what matches, as far as the first place with all the words: each occurrence enters and leaves once. */
function bestWindow(found: Iterable<Occurrence>, wordsCount: number): Window {
  const occurrences: Occurrence[] = []
  const inside = new Map<string, number>()
  let best: Window = { start: 0, words: 0, marked: [] }
  let first = 0
  for (const occurrence of found) {
    occurrences.push(occurrence)
    for (const word of occurrence.lexemes) inside.set(word, (inside.get(word) ?? 0) + 1)
    while ((occurrences[first]?.start ?? 0) < occurrence.end - LENGTH && first < occurrences.length - 1) {
      for (const word of occurrences[first]?.lexemes ?? []) leave(inside, word)
      first += 1
    }
    if (inside.size > best.words) {
      const start = occurrences[first]?.start ?? 0
      best = { start, words: inside.size, marked: occurrences.slice(first) }
    }
    if (best.words >= wordsCount) break
  }
  return best
}

function leave(inside: Map<string, number>, word: string): void {
  const count = (inside.get(word) ?? 1) - 1
  if (count === 0) inside.delete(word)
  else inside.set(word, count)
}

/** The window with a little before it, from a word's beginning to a word's end, with … where it was cut. */
function partsOf(text: string, window: Window): Snippet['parts'] {
  const lead = Math.max(0, window.start - 50)
  const start = lead === 0 ? 0 : text.indexOf(' ', lead) + 1 || window.start
  const from = Math.min(start, window.start)
  const limit = from + LENGTH
  const space = text.lastIndexOf(' ', limit)
  const end = limit >= text.length ? text.length : space > from ? space : limit
  const parts = cutParts(text, from, end, withoutFragments(window.marked))
  const before = from > 0 ? [{ text: '… ', isMarked: false }] : []
  const after = end < text.length ? [{ text: ' …', isMarked: false }] : []
  return [...before, ...parts, ...after]
}

/** Where a whole word matched, its end in another one is left out, beside 테스트 the 스트 of 컨텍스트, and so are beginnings of longer words. */
function withoutFragments(found: readonly Occurrence[]): Occurrence[] {
  const whole = new Set(found.filter(({ lexemes }) => lexemes.length > 1).flatMap(({ lexemes }) => lexemes))
  const isBegunAlone = found.every(({ isBeginning }) => isBeginning)
  return found.filter(({ lexemes, isBeginning }) => {
    if (isBeginning) return isBegunAlone
    const [only = '', ...more] = lexemes
    return more.length > 0 || !isPair(only) || !whole.has(only)
  })
}

function cutParts(text: string, start: number, end: number, marked: readonly Occurrence[]): Snippet['parts'] {
  const parts: { text: string; isMarked: boolean }[] = []
  let at = start
  for (const piece of marked) {
    if (piece.start < at || piece.end > end) continue
    if (piece.start > at) parts.push({ text: text.slice(at, piece.start), isMarked: false })
    parts.push({ text: text.slice(piece.start, piece.end), isMarked: true })
    at = piece.end
  }
  if (at < end) parts.push({ text: text.slice(at, end), isMarked: false })
  return parts
}
