import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

const MAX_TEXTS = 5000
/** In UTF-16 units. Longer texts are remembered by their hash. */
const MAX_LENGTH = 200

/** A function of texts that stand on many pages, such as titles and bodies: it remembers its latest results, which are short. */
export function remembered<Result>(
  read: (text: string) => Result,
  max: number = MAX_TEXTS,
): (text: string) => Result {
  const known = new LRUCache<string, { readonly result: Result }>(atMost(max))
  return (text) => {
    const key = text.length > MAX_LENGTH ? `\0${hash('sha1', text, 'base64')}` : text
    const found = known.get(key)
    if (found !== undefined) return found.result
    const result = read(text)
    known.set(key, { result })
    return result
  }
}

/** Options of an LRUCache of so many entries: with `max` it would take the memory for all of them at once. */
export function atMost(entries: number): {
  readonly maxSize: number
  readonly sizeCalculation: () => number
} {
  return { maxSize: entries, sizeCalculation: () => 1 }
}
