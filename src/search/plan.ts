import type { Database } from '../database/schema.ts'
import { quoted, tagLexeme } from './document.ts'
import type { Group, SearchQuery } from './query.ts'
import { type RankTerm, tellingWeight } from './ranking.ts'
import { countDocuments } from './statistics.ts'

export interface SearchPlan {
  /**
   * Which way the search goes. 'index': all documents with these words, through the index of terms; right while they
   * are few. 'best': the best questions by their stored score, looked through until enough have the words; right where
   * so many have them that the best ones come soon.
   */
  readonly way: 'index' | 'best'
  /** tsquery text of what a document must have; null: anything. */
  readonly match: string | null
  /** tsquery text of what it may have instead when too few have all of it: any of the rarer words. */
  readonly loose: string | null
  readonly rankTerms: readonly RankTerm[]
}

/** Up to so many documents are ranked; a search that expects more goes the other way. */
export const MOST_RANKED = 3000

/** Decides by how many documents have each lexeme of the query: one small query by primary key. */
export async function planSearch(db: Database, query: SearchQuery): Promise<SearchPlan> {
  const must = [...query.groups, ...query.phrases, ...query.filters.tags.map(tagGroup)]
  const lexemes = [
    ...new Set([...must.flatMap((group) => group.lexemes), ...must.flatMap((group) => group.required)]),
  ]
  const { counts, total } = await countDocuments(db, lexemes)
  const countOf = (group: Group) => Math.min(...group.required.map((lexeme) => counts.get(lexeme) ?? 0))
  const expected = must.reduce((documents, group) => documents * Math.min(1, countOf(group) / total), total)
  const conditions = must.map((group) =>
    group.prefix !== null && countOf(group) === 0 ? `(${group.match} | ${group.prefix})` : group.match,
  )
  const excluded = query.excluded.map((match) => `!${match}`)
  return {
    way: expected > MOST_RANKED ? 'best' : 'index',
    match: conditions.length + excluded.length === 0 ? null : [...conditions, ...excluded].join(' & '),
    loose: looseMatch(query, excluded, (lexeme) => counts.get(lexeme) ?? 0),
    rankTerms: lexemes.map((lexeme) => ({ lexeme, weight: tellingWeight(counts.get(lexeme) ?? 0, total) })),
  }
}

/** Any of the lexemes, the rarest first, as many as together stay few. Filters and exclusions still hold. */
function looseMatch(
  query: SearchQuery,
  excluded: readonly string[],
  countOf: (lexeme: string) => number,
): string | null {
  const known = [...new Set(query.groups.flatMap((group) => group.lexemes))]
    .map((lexeme) => ({ lexeme, count: countOf(lexeme) }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => one.count - other.count)
  const chosen: string[] = []
  let documents = 0
  for (const { lexeme, count } of known) {
    documents += count
    if (documents > MOST_RANKED && chosen.length > 0) break
    if (documents <= MOST_RANKED * 10) chosen.push(quoted(lexeme))
  }
  if (chosen.length === 0) return null
  const kept = [...query.phrases, ...query.filters.tags.map(tagGroup)].map((group) => group.match)
  return [`(${chosen.join(' | ')})`, ...kept, ...excluded].join(' & ')
}

function tagGroup(tag: string): Group {
  const lexeme = tagLexeme(tag)
  return { match: quoted(lexeme), required: [lexeme], lexemes: [lexeme], prefix: null }
}
