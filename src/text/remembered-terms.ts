import { LRUCache } from 'lru-cache'
import { type Term, termsOf } from './terms.ts'

/** Longer words are encoded data and the like, which take room and do not come again. In UTF-16 units. */
const LONGEST = 60

/**
 * The same as termsOf, several times as fast on texts that repeat their words: a term never goes beyond a blank, so each
 * word between blanks is looked at once.
 * @param most words remembered: the least used go first
 */
export function rememberTerms(most: number): typeof termsOf {
  const known = new LRUCache<string, readonly Term[]>({ max: most })
  const termsOfWord = (word: string): readonly Term[] => {
    if (word.length > LONGEST) return termsOf(word)
    const remembered = known.get(word)
    if (remembered !== undefined) return remembered
    const terms = termsOf(word)
    known.set(word, terms)
    return terms
  }
  return (text) => {
    const terms: Term[] = []
    let position = 0
    for (const word of text.split(/\s+/)) {
      const own = termsOfWord(word)
      for (const term of own) terms.push({ lexeme: term.lexeme, position: position + term.position })
      const last = own.at(-1)
      if (last !== undefined) position += last.position + 1
    }
    return terms
  }
}
