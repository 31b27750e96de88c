import type { Database } from '../../../database/schema.ts'
import { parseQuery } from '../../../forum/search/query.ts'
import { search, speltBetter } from '../../../forum/search/search.ts'
import { worthShowing } from '../../../forum/search/similar/nearness.ts'
import { rankSimilar } from '../../../forum/search/similar/similar.ts'
import type { Asked, Collection, Text } from './collection.ts'
import type { load } from './load.ts'

/** The indexes of what is found in a collection, the best first. */
type Ranker = (asked: Pick<Asked, 'title'>) => readonly number[]

/** Ranks that are measured: mean reciprocal rank is of ten. The question itself may be one more. */
const MOST = 11
const SHOWN = 5

/** What Handup finds among the questions that were loaded: by a search, as similar, and of these what is shown. */
export function handup(db: Database, { courseId, places }: Awaited<ReturnType<typeof load>>) {
  const courses = { ids: [courseId], isAll: true, share: 1, synonyms: '' }
  const idOf = new Map([...places].map(([id, index]) => [index, id]))
  const placesOf = (found: readonly { readonly id: number; readonly duplicateOf?: number | null }[]) =>
    found.map(({ id, duplicateOf }) => places.get(duplicateOf ?? id) ?? -1)
  const options = { readable: courses, isSpelt: false }
  // As the page does it: what it offers as better spelt is one step away.
  const searched = async ({ title }: Pick<Asked, 'title'>) => {
    const query = parseQuery(title)
    const asTyped = await search(db, null, query, options)
    const spelt = await speltBetter(db, null, query, asTyped, options)
    const better = spelt?.result.hits ?? []
    return placesOf(spelt?.isShown ? better : [...asTyped.hits, ...better])
  }
  const similar = async ({ title, body, self }: Omit<Asked, 'right'>) => {
    const exceptId = self === null ? null : (idOf.get(self) ?? null)
    const near = { title, body, tags: [], courseId, exceptId }
    const { questions, floor } = await rankSimilar(db, near, courses, MOST)
    return { found: placesOf(questions), shown: placesOf(worthShowing(questions, floor)).slice(0, SHOWN) }
  }
  return { searched, similar, idOf }
}

const K1 = 1.2
const B = 0.75
const TITLE = 3

/** Okapi BM25 (Robertson 1994) over words, Korean ones cut into overlapping pairs of syllables; the title counts three times. */
export function bm25({ texts }: Collection): Ranker {
  const postings = new Map<string, { index: number; count: number }[]>()
  const lengths = texts.map((text, index) => {
    const counts = wordCounts(text)
    for (const [word, count] of counts) {
      const known = postings.get(word) ?? []
      known.push({ index, count })
      postings.set(word, known)
    }
    return [...counts.values()].reduce((sum, count) => sum + count, 0)
  })
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1)
  return ({ title }) => {
    const ranks = new Map<number, number>()
    for (const word of cut(title)) {
      const found = postings.get(word) ?? []
      const rarity = Math.log(1 + (texts.length - found.length + 0.5) / (found.length + 0.5))
      for (const { index, count } of found) {
        const fit = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * (lengths[index] ?? 0)) / mean))
        ranks.set(index, (ranks.get(index) ?? 0) + rarity * fit)
      }
    }
    const best = [...ranks].sort((one, other) => other[1] - one[1])
    return best.slice(0, MOST).map(([index]) => index)
  }
}

function wordCounts({ title, body, answer }: Text): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const word of cut(title)) counts.set(word, (counts.get(word) ?? 0) + TITLE)
  for (const word of cut(`${body} ${answer ?? ''}`)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

function cut(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (!/\p{Script=Hangul}/u.test(word) || word.length < 2) return [word]
    return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2))
  })
}
