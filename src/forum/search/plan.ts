import type { Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../kernel/rights/visibility.ts'
import { countedTerms, findBeginning } from './beginnings.ts'
import { quoted, tagLexeme } from './document.ts'
import type { Group } from './groups.ts'
import type { SearchQuery } from './query.ts'
import { type RankTerm, tellingWeight } from './ranking.ts'
import { type Attempt, attemptsOf, type Condition, MAX_RANKED, type Source } from './sources.ts'
import { countDocuments, type DocumentCounts } from './statistics.ts'

export interface SearchPlan {
  /** Tried one after another until something is found. */
  readonly attempts: readonly Attempt[]
  /** What finds every document that the words can find, where those are few enough to count; null: nobody knows how many. */
  readonly whole: Source | null
  /** tsquery text of what all documents have that the words can find; null: any. */
  readonly wide: string | null
  readonly rankTerms: readonly RankTerm[]
  /** How many documents have the terms of the query. */
  readonly counted: DocumentCounts
  /** Terms that were not: a last word that may still be going on. */
  readonly begun: ReadonlySet<string>
}

/** Up to this number of expected documents they are counted, to at most MAX_RANKED, which costs less than ranking. */
const MAX_COUNTED = 2 * MAX_RANKED
/** Two words of one document are adjacent in about one document of this number. */
const IN_A_ROW = 8

/**
 * Decides by how many documents have each lexeme of the query: small queries by primary key.
 * @param isTyping a last word that no recount has met is taken for the beginning of another one, and not counted
 */
export async function planSearch(
  db: Database,
  query: SearchQuery,
  courses: ReadableCourses,
  isTyping: boolean,
): Promise<SearchPlan> {
  const words = [...query.groups, ...query.filters.tags.map(tagGroup)]
  const all = [...words, ...query.phrases]
  const weighed = [...new Set(all.flatMap((group) => [...group.lexemes, ...group.required]))]
  const begun = isTyping && (await countedTerms(db)) !== null ? unfinishedIn(query) : new Set<string>()
  const counted = await countDocuments(
    db,
    [
      ...new Set([
        ...weighed,
        ...all.flatMap((group) => [...group.parts, ...group.alike.flat()]),
        ...inWays(words),
      ]),
    ],
    { counts: new Map(), asked: begun },
  )
  const { counts, countOf, total } = counted
  const shareOf = (lexeme: string) => countOf(lexeme) / total
  const together = (shares: readonly number[]) => shares.reduce((product, share) => product * share, 1)
  const phrases = query.phrases.map((group) => ({
    match: group.match,
    share: together(group.required.map(shareOf)) / (group.required.length > 1 ? IN_A_ROW : 1),
  }))
  const narrow = words.map((group) => ({
    match: group.narrow,
    share: Math.min(...group.required.map(shareOf)),
  }))
  const wide = await Promise.all(
    words.map(async (group, index) => {
      const own = narrow[index]?.share ?? 0
      const alike = group.alike.reduce((sum, lexemes) => sum + together(lexemes.map(shareOf)), 0)
      const share = Math.min(1, Math.max(own, together(group.parts.map(shareOf))) + alike)
      const isCounted = group.required.every((lexeme) => counts.has(lexeme))
      return isCounted && [...(group.prefix ?? '')].length !== 1
        ? { match: group.match, share }
        : widened(db, group, { match: group.match, share }, total)
    }),
  )
  const excluded = query.excluded.map((match) => `!${match}`)
  const conditionOf = (parts: readonly { match: string; share: number }[]): Condition => {
    const matches = [...parts.map((part) => part.match), ...excluded]
    return {
      match: matches.length === 0 ? null : matches.join(' & '),
      expected: total * courses.share * together(parts.map((part) => part.share)),
    }
  }
  const [asWide, asNarrow] = [conditionOf([...wide, ...phrases]), conditionOf([...narrow, ...phrases])]
  const isCounted = asWide.match !== null && asWide.expected <= MAX_COUNTED && query.phrases.length === 0
  return {
    whole: isCounted ? { along: 'terms', match: asWide.match, places: null, isWhole: true } : null,
    attempts: await attemptsOf(db, query, courses, asWide, asNarrow),
    wide: asWide.match,
    counted,
    begun,
    rankTerms: weighed.map((lexeme) => ({ lexeme, weight: tellingWeight(countOf(lexeme), total) })),
  }
}

/** The terms of the ways in which words may stand in a document. */
export function inWays(groups: readonly Group[]): readonly string[] {
  return groups.flatMap(({ ways }) => ways.flatMap(({ steps }) => steps.flat()))
}

/** The terms of words that may still be going on. */
function unfinishedIn({ groups }: SearchQuery): Set<string> {
  const unfinished = groups.filter(({ prefix }) => prefix !== null)
  return new Set(unfinished.flatMap(({ lexemes }) => lexemes))
}

/** A single letter stands for the words it begins; so do the first letters of a last word that was not counted. */
async function widened(
  db: Database,
  { prefix }: Group,
  part: { match: string; share: number },
  total: number,
): Promise<{ match: string; share: number }> {
  if (prefix === null) return part
  const beginning = await findBeginning(db, prefix)
  return {
    match: `(${part.match} | ${beginning.match})`,
    share: Math.min(1, part.share + beginning.count / total),
  }
}

function tagGroup(tag: string): Group {
  const lexeme = tagLexeme(tag)
  const match = quoted(lexeme)
  return {
    match,
    narrow: match,
    required: [lexeme],
    parts: [lexeme],
    lexemes: [lexeme],
    prefix: null,
    alike: [],
    ways: [],
  }
}
