import type { Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../rights/readable.ts'
import { isAsking, withoutSuffix } from '../../text/particles.ts'
import { allOf, type Synonyms, synonymsOf } from '../../text/synonyms.ts'
import { pairsOf, piecesOf, type Run } from '../../text/terms.ts'
import { courseSynonyms } from './course-synonyms.ts'
import { tagLexeme } from './document.ts'
import { NO_FILTERS, statesOf } from './filters.ts'
import { namesAlike, wordOf } from './groups.ts'
import { tellingWeight } from './ranking.ts'
import { BEST, bestOf, type Source } from './sources.ts'
import { countDocuments } from './statistics.ts'
import { type CountedTerm, tellingMatches } from './telling-matches.ts'

export interface SimilarTo {
  readonly title: string
  /** Markdown or plain text; '' when there is only a title yet. */
  readonly body: string
  readonly tags: readonly string[]
  /** Only questions of this course; null: of all. */
  readonly courseId: number | null
  /** The question itself, which is not similar to itself; null: it is not there yet. */
  readonly exceptId: number | null
}

/** Terms that take part: the most telling ones. The weight of a word of the title, or a tag, in words of the body. */
const MAX_TERMS = 60
const TITLE_FACTOR = 3
const TAG_FACTOR = 2
const MAX_BODY_CHARACTERS = 6000

/** A term of what others shall be similar to. */
export interface TellingTerm extends CountedTerm {
  /** In its title or its tags. */
  readonly isOfTitle: boolean
  /** What means the same as a word of the title: it stands in its place. */
  readonly isAlike: boolean
}

export interface TellingTerms {
  readonly terms: readonly TellingTerm[]
  /** How many documents there are in the forum. */
  readonly total: number
}

/** With fewer documents than this that share something rare, those with common words together are looked at as well. */
const FEW = 200

/** The words that tell most, weighted. */
export async function tellingTerms(
  db: Database,
  to: SimilarTo,
  courses: ReadableCourses,
): Promise<TellingTerms> {
  const frequency = frequencies(to)
  const ofCourse = await courseSynonyms(db, courses)
  const synonyms = ofCourse === null ? synonymsOf : allOf(synonymsOf, ofCourse)
  const alike = alikeIn(to.title, synonyms).filter((lexeme) => !frequency.has(lexeme))
  const { counts, countOf, total } = await countDocuments(db, [...frequency.keys(), ...alike])
  const seen = [...frequency, ...alike.map((lexeme) => [lexeme, TITLE_FACTOR] as const)]
  const terms = seen
    .map(([lexeme, seen], index) => ({
      ...{ lexeme, seen, isOfTitle: seen >= TAG_FACTOR, isAlike: index >= frequency.size },
      count: counts.get(lexeme) ?? 0,
    }))
    // Seen often in one text tells more, but ever less (the logarithm of BM25 and its kin).
    .map((term) => ({
      ...term,
      weight: Math.log1p(term.seen) * tellingWeight(countOf(term.lexeme), total) ** 2,
    }))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MAX_TERMS)
  return { terms, total }
}

/**
 * Where documents are that are worth a look.
 * @param least none is that has less of the terms' weights
 */
export async function sourcesOf(
  db: Database,
  { terms, total }: TellingTerms,
  courses: ReadableCourses,
  least: number,
): Promise<Source[]> {
  const known = terms.filter(({ count }) => count > 0)
  const { few, many } = tellingMatches(known, total, least)
  const sources: Source[] =
    few.match === null ? [] : [{ along: 'terms', match: few.match, places: null, isWhole: true }]
  if (many !== null && few.expected * courses.share < FEW) {
    const best = await bestOf(db, courses, statesOf(NO_FILTERS))
    sources.push(best({ ...many, expected: many.expected * courses.share }, BEST))
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

/** The lexemes of what means the same as a word of a title, each once. */
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

function tellingOf({ isUnspaced, lexemes, text }: Run): readonly string[] {
  if (!isUnspaced) return lexemes
  if (isAsking(text)) return []
  const pairs = pairsOf(withoutSuffix(text))
  return pairs.length > 1 ? pairs.slice(0, -1) : pairs
}
