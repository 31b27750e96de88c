import type { Database } from '../../../database/schema.ts'
import type { ReadableCourses } from '../../../kernel/rights/visibility.ts'
import { allOf, type Synonyms, synonymsOf } from '../../../text/words/synonyms.ts'
import { piecesOf } from '../../../text/words/terms.ts'
import { courseSynonyms } from '../course-synonyms.ts'
import { quoted, tagLexeme } from '../document.ts'
import { BEST, bestOf, type Source } from '../plan.ts'
import { NO_FILTERS, statesOf } from '../query.ts'
import { tellingWeight } from '../rank.ts'
import { countDocuments } from '../statistics.ts'
import { namesAlike, tellingOf, wordOf } from '../words.ts'

export interface SimilarTo {
  readonly title: string
  /** Markdown or plain text; '' when there is only a title yet. */
  readonly body: string
  readonly tags: readonly string[]
  readonly courseId: number | null
  /** The question itself, which is not similar to itself; null: it is not there yet. */
  readonly exceptId: number | null
}

/** Terms that take part: the most telling ones. The weight of a word of the title, or a tag, in words of the body. */
const MAX_TERMS = 60
const TITLE_FACTOR = 3
const TAG_FACTOR = 2
const MAX_BODY_CHARACTERS = 6000

export type TellingTerms = Awaited<ReturnType<typeof tellingTerms>>
type TellingTerm = TellingTerms['terms'][number]

/** With fewer documents than this that share something rare, those with common words together are looked at as well. */
const FEW = 200

/**
 * The terms of what others shall be similar to, the most telling first, with how many documents have each (0: it finds nothing), and
 * whether it is in the title or the tags. `isAlike`: it means the same as a word of the title, and stands in its place.
 * @returns also how many documents there are in the forum
 */
export async function tellingTerms(db: Database, to: SimilarTo, courses: ReadableCourses) {
  const frequency = frequencies(to)
  const ofCourse = courseSynonyms(courses)
  const synonyms = ofCourse === null ? synonymsOf : allOf(synonymsOf, ofCourse)
  const alike = alikeIn(to.title, synonyms).filter((lexeme) => !frequency.has(lexeme))
  const { counts, countOf, total } = await countDocuments(db, [...frequency.keys(), ...alike])
  const seen = [...frequency, ...alike.map((lexeme) => [lexeme, TITLE_FACTOR] as const)]
  const terms = seen
    .map(([lexeme, seen], index) => ({
      ...{ lexeme, isOfTitle: seen >= TAG_FACTOR, isAlike: index >= frequency.size },
      count: counts.get(lexeme) ?? 0,
      // Seen often in one text tells more, but ever less (the logarithm of BM25 and its kin).
      weight: Math.log1p(seen) * tellingWeight(countOf(lexeme), total) ** 2,
    }))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MAX_TERMS)
  return { terms, total }
}

/** Where documents are that are worth a look: those with the rarest words; if they are few, also some with the most telling of the others. */
export async function sourcesOf(
  db: Database,
  { terms, total }: TellingTerms,
  courses: ReadableCourses,
): Promise<Source[]> {
  const known = terms.filter(({ count }) => count > 0)
  const { rare, expected } = rarestOf(known, total)
  const sources: Source[] =
    rare.length === 0
      ? []
      : [{ along: 'terms', match: lexemesOf(rare).join(' | '), places: null, isWhole: true }]
  const common = known.filter((term) => !rare.includes(term)).slice(0, TOGETHER)
  if (common.length === TOGETHER && expected * courses.share < FEW) {
    const shareOf = ({ count }: TellingTerm) => Math.min(total, COMPANY * count) / total
    const together = common.reduce((rest, term) => rest * shareOf(term), total * courses.share)
    const best = await bestOf(db, courses, statesOf(NO_FILTERS))
    sources.push(best({ match: lexemesOf(common).join(' & '), expected: together }, BEST))
  }
  return sources
}

/** How often each term is in what it shall be similar to; a title's and a tag's count more. */
function frequencies(to: SimilarTo): Map<string, number> {
  const frequency = new Map<string, number>()
  const count = (text: string, factor: number) => {
    for (const lexeme of tellingLexemes(text)) frequency.set(lexeme, (frequency.get(lexeme) ?? 0) + factor)
  }
  count(to.title, TITLE_FACTOR)
  count(to.body.slice(0, MAX_BODY_CHARACTERS), 1)
  for (const tag of to.tags) frequency.set(tagLexeme(tag), TAG_FACTOR)
  return frequency
}

function alikeIn(title: string, synonyms: Synonyms): string[] {
  const pieces = piecesOf(title)
  const words = [
    ...pieces.flatMap((piece) => piece.runs.flatMap((run) => synonyms(wordOf(run)))),
    ...namesAlike(pieces, synonyms).flat(),
  ]
  return [...new Set(words.flatMap(tellingLexemes))]
}

/** The lexemes of a text without what says nothing about its subject: Korean endings, particles and words of asking. */
function tellingLexemes(text: string): string[] {
  return piecesOf(text).flatMap((piece) => [
    ...(piece.whole === null ? [] : [piece.whole]),
    ...piece.runs.flatMap(tellingOf),
  ])
}

/** Documents worth reading: those with the rarest words. More would cost as much as they add little. */
export const MAX_CHECKED = 400
/** How many common words stand together in a document that is looked at for these. */
const TOGETHER = 3
/** Words of one subject stand together more often than chance would have it. */
const COMPANY = 4

/** As many words, the rarest first, as together are in no more documents than are checked; `expected`: in how many. */
function rarestOf(terms: readonly TellingTerm[], total: number) {
  const rare: TellingTerm[] = []
  let without = 1
  for (const term of terms.toSorted((one, other) => one.count - other.count)) {
    const left = without * (1 - Math.min(1, term.count / total))
    if (total * (1 - left) > MAX_CHECKED) break
    without = left
    rare.push(term)
  }
  return { rare, expected: total * (1 - without) }
}

const lexemesOf = (terms: readonly TellingTerm[]) => terms.map(({ lexeme }) => quoted(lexeme))
