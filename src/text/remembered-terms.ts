import { LRUCache } from 'lru-cache'
import { atMost } from './at-most.ts'
import { type Term, termsOf } from './terms.ts'

/** Longer words, mostly encoded data, are not cached, since they rarely recur. In UTF-16 units. */
const MAX_WORD_LENGTH = 60

/**
 * Like termsOf, but several times as fast on texts that repeat their words: a term never spans white space, so the
 * terms of each word can be cached.
 * @param most maximum number of cached words; the least recently used are evicted
 */
export function rememberTerms(most: number): typeof termsOf {
  const known = new LRUCache<string, readonly Term[]>(atMost(most))
  const termsOfWord = (word: string): readonly Term[] => {
    if (word.length > MAX_WORD_LENGTH) return termsOf(word)
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
