import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import type { Asked, Text } from './data-set.ts'

/** Ranks a collection for a question: the indexes of the best ten. */
export type Ranker = (asked: Omit<Asked, 'right'>) => Promise<number[]> | number[]

const MOST = 11
const K1 = 1.2
const B = 0.75
const TITLE = 3

/** Okapi BM25 (Robertson 1994) over words, Korean ones cut into overlapping pairs of syllables; the title counts three times. */
export function bm25(collection: readonly Text[]): Ranker {
  const postings = new Map<string, { index: number; count: number }[]>()
  const lengths = collection.map(({ title, body }, index) => {
    const counts = new Map<string, number>()
    for (const word of cut(title)) counts.set(word, (counts.get(word) ?? 0) + TITLE)
    for (const word of cut(body)) counts.set(word, (counts.get(word) ?? 0) + 1)
    for (const [word, count] of counts) postings.set(word, [...(postings.get(word) ?? []), { index, count }])
    return [...counts.values()].reduce((sum, count) => sum + count, 0)
  })
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1)
  return ({ title }) => {
    const ranks = new Map<number, number>()
    for (const word of cut(title)) {
      const found = postings.get(word) ?? []
      const rarity = Math.log(1 + (collection.length - found.length + 0.5) / (found.length + 0.5))
      for (const { index, count } of found) {
        const fit = (count * (K1 + 1)) / (count + K1 * (1 - B + (B * (lengths[index] ?? 0)) / mean))
        ranks.set(index, (ranks.get(index) ?? 0) + rarity * fit)
      }
    }
    return [...ranks]
      .sort((one, other) => other[1] - one[1])
      .slice(0, MOST)
      .map(([index]) => index)
  }
}

function cut(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (!/\p{Script=Hangul}/u.test(word) || word.length < 2) return [word]
    return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2))
  })
}

/** PostgreSQL as it comes: any of the words by `ts_rank_cd`, and `pg_trgm`'s similarity of titles. */
export async function plainRankers(
  db: Database,
  collection: readonly Text[],
): Promise<Readonly<Record<'full text' | 'trigrams', Ranker>>> {
  await sql`drop table if exists baseline`.execute(db)
  await sql`
    create table baseline as
    select index, title, to_tsvector('english', title || ' ' || body) as terms
    from unnest(${collection.map((_, index) => index)}::int[], ${collection.map(({ title }) => title)}::text[],
      ${collection.map(({ body }) => body)}::text[]) as text (index, title, body)`.execute(db)
  return {
    'full text': async ({ title }) => {
      const { rows } = await sql<{ index: number }>`
        select index from baseline,
          (select replace(plainto_tsquery('english', ${title})::text, '&', '|')::tsquery as query) as asked
        where terms @@ query order by ts_rank_cd(terms, query) desc, index limit ${MOST}`.execute(db)
      return rows.map(({ index }) => index)
    },
    trigrams: async ({ title }) => {
      const { rows } = await sql<{ index: number }>`
        select index from baseline order by similarity(title, ${title}) desc, index limit ${MOST}`.execute(db)
      return rows.map(({ index }) => index)
    },
  }
}
