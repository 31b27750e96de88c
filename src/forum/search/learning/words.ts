import { isAsking, withoutSuffix } from '../../../text/particles.ts'
import { pairsOf, piecesOf, type Run } from '../../../text/terms.ts'

/** A word that somebody typed, in small letters, and what it is searched by. */
export interface TypedWord {
  readonly word: string
  readonly lexemes: readonly string[]
}

/** Longer ones are addresses and data rather than words. */
const MAX_WORD = 60

/** The different words of a text, without those that say nothing about its subject. @param most the first of them */
export function typedWords(text: string, most: number): TypedWord[] {
  const words = new Map<string, readonly string[]>()
  for (const piece of piecesOf(text)) {
    if (piece.whole !== null) words.set(piece.whole, [piece.whole])
    for (const run of piece.runs) {
      const { word, lexemes } = typedWord(run)
      if (lexemes.length > 0) words.set(word, lexemes)
    }
  }
  return [...words]
    .filter(([word]) => [...word].length <= MAX_WORD)
    .slice(0, most)
    .map(([word, lexemes]) => ({ word, lexemes }))
}

function typedWord({ isUnspaced, lexemes, text }: Run): TypedWord {
  const word = text.toLowerCase()
  if (!isUnspaced) return { word, lexemes }
  if (isAsking(word)) return { word, lexemes: [] }
  const noun = withoutSuffix(word)
  const pairs = pairsOf(noun)
  // The last one is the last letter alone, which tells where a word ends.
  return { word: noun, lexemes: pairs.length > 1 ? pairs.slice(0, -1) : pairs }
}
