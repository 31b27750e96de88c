import type { Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../kernel/rights/visibility.ts'
import { quoted, tagLexeme } from './document.ts'
import { type Group, wholeGroup } from './groups.ts'
import type { SearchQuery } from './query.ts'
import { tellingWeight } from './ranking.ts'
import { attemptsOf, type Condition, MAX_RANKED, type Source } from './sources.ts'
import { countDocuments, findBeginning } from './statistics.ts'

export type SearchPlan = Awaited<ReturnType<typeof planSearch>>

/** Up to this number of expected documents they are counted, to at most MAX_RANKED, which costs less than ranking. */
const MAX_COUNTED = 2 * MAX_RANKED
/** Two words of one document are adjacent in about one document of this number. */
const IN_A_ROW = 8

/** Decides by how many documents have each lexeme of the query: small queries by primary key. */
export async function planSearch(db: Database, query: SearchQuery, courses: ReadableCourses) {
  const words = [...query.groups, ...query.filters.tags.map(tagGroup)]
  const all = [...words, ...query.phrases]
  const weighed = [...new Set(all.flatMap((group) => [...group.lexemes, ...group.required]))]
  const others = [...all.flatMap((group) => [...group.parts, ...group.alike.flat()]), ...inWays(words)]
  const counted = await countDocuments(db, [...new Set([...weighed, ...others])])
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
      // A single letter stands for the words it begins; so do the first letters of a last word that was not counted.
      if (group.prefix === null || (isCounted && [...group.prefix].length !== 1))
        return { match: group.match, share }
      const beginning = await findBeginning(db, group.prefix)
      return {
        match: `(${group.match} | ${beginning.match})`,
        share: Math.min(1, share + beginning.count / total),
      }
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
  const whole: Source = { along: 'terms', match: asWide.match, places: null, isWhole: true }
  return {
    // What finds every document that the words can find, where those are few enough to count; null: nobody knows how many.
    whole: isCounted ? whole : null,
    // Tried one after another until something is found.
    attempts: await attemptsOf(db, query, courses, asWide, asNarrow),
    // tsquery text of what all documents have that the words can find; null: any.
    wide: asWide.match,
    counted,
    rankTerms: weighed.map((lexeme) => ({ lexeme, weight: tellingWeight(countOf(lexeme), total) })),
  }
}

/** The terms of the ways in which words may stand in a document. */
export function inWays(groups: readonly Pick<Group, 'ways'>[]): readonly string[] {
  return groups.flatMap(({ ways }) => ways.flatMap(({ steps }) => steps.flat()))
}

function tagGroup(tag: string): Group {
  const lexeme = tagLexeme(tag)
  return wholeGroup(quoted(lexeme), [lexeme], [])
}
