import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type ReadableCourses, readableCourses } from '../../rights/readable.ts'
import type { Actor } from '../../rights/rights.ts'
import { plainText } from '../../text/plain.ts'
import { termsOf } from '../../text/terms.ts'
import { lookIn } from './candidates.ts'
import { tagLexeme } from './document.ts'
import { NO_FILTERS, statesOf } from './filters.ts'
import { similarityWeights, tellingWeight, textRank } from './ranking.ts'
import { BEST, bestOf, type Source } from './sources.ts'
import { countDocuments } from './statistics.ts'
import { tellingMatches } from './telling-matches.ts'

/** A question that may be the same as another, or near it. */
export interface SimilarQuestion {
  readonly id: number
  readonly title: string
  readonly status: 'resolved' | 'unresolved'
  readonly answersCount: number
  readonly authorId: number
  /** How near it is; only to compare with others of the same answer. */
  readonly rank: number
  /** Text of its accepted answer, else of its best one; null without answers. Cut at 2,000 characters. */
  readonly answer: string | null
}

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
/** The most telling of them choose which documents are ranked by all. */
const MAX_ROUGH_TERMS = 20
/** Documents ranked by all of them. */
const MAX_RANKED_SIMILAR = 60
const TITLE_FACTOR = 3
const TAG_FACTOR = 2
const MAX_BODY_CHARACTERS = 6000
/** Questions found. */
const SIZE = 5

/**
 * Questions about the same, the nearest first: those sharing the most telling words, in titles above all. Work is
 * bounded: candidates come by the rarest words and pairs of words, at most MAX_RANKED of them.
 * @param readable the courses the viewer may read, where they are known: `courseId` alone if there is one
 */
export async function findSimilar(
  db: Database,
  viewer: Actor | null,
  to: SimilarTo,
  readable: ReadableCourses | null = null,
): Promise<SimilarQuestion[]> {
  const narrowed = to.courseId === null ? undefined : sql<boolean>`course.id = ${to.courseId}`
  const courses = readable ?? (await readableCourses(db, viewer, narrowed))
  const { terms, sources } = await tellingTerms(db, to, courses)
  if (sources.length === 0 || courses.ids.length === 0) return []
  const best = {
    columns: sql`q.id, q.title, q.status, q.answers_count, q.author_id, ${textRank(terms, similarityWeights)} as rank,
      (select left(body_html, 2000) from answers where question_id = q.id and deleted_at is null
        order by id is not distinct from q.accepted_answer_id desc, votes_count desc, id limit 1) as answer_html`,
    rank: sql<number>`rank`,
    readsDocument: true,
    size: SIZE,
    ranked: MAX_RANKED_SIMILAR,
    exceptId: to.exceptId,
  }
  const { hits } = await lookIn<SimilarRow>(
    db,
    { filters: NO_FILTERS, courses },
    sources,
    terms.slice(0, MAX_ROUGH_TERMS),
    best,
  )
  return hits.map(({ answers_count: answersCount, author_id: authorId, answer_html: html, ...row }) => ({
    ...row,
    answersCount,
    authorId,
    answer: html === null ? null : plainText(html),
  }))
}

interface SimilarRow {
  readonly id: number
  readonly title: string
  readonly status: 'resolved' | 'unresolved'
  readonly answers_count: number
  readonly author_id: number
  readonly rank: number
  readonly answer_html: string | null
}

/** With fewer documents than this that share something rare, those with common words together are looked at as well. */
const FEW = 200

/** The words that tell most, weighted, and where documents are that are worth a look. */
async function tellingTerms(db: Database, to: SimilarTo, courses: ReadableCourses) {
  const frequency = frequencies(to)
  const { counts, total } = await countDocuments(db, [...frequency.keys()])
  const known = [...frequency]
    .map(([lexeme, seen]) => ({ lexeme, seen, count: counts.get(lexeme) ?? 0 }))
    .filter(({ count }) => count > 0)
    // Seen often in one text tells more, but ever less (the logarithm of BM25 and its kin).
    .map((term) => ({ ...term, weight: Math.log1p(term.seen) * tellingWeight(term.count, total) ** 2 }))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MAX_TERMS)
  const { few, many } = tellingMatches(known, total)
  const sources: Source[] =
    few.match === null ? [] : [{ along: 'terms', match: few.match, places: null, isWhole: true }]
  if (many !== null && few.expected * courses.share < FEW) {
    const best = await bestOf(db, courses, statesOf(NO_FILTERS))
    sources.push(best({ ...many, expected: many.expected * courses.share }, BEST))
  }
  return { terms: known, sources }
}

/** How often each term is in what it shall be similar to; a title's and a tag's count more. */
function frequencies(to: SimilarTo): Map<string, number> {
  const frequency = new Map<string, number>()
  const count = (text: string, factor: number) => {
    for (const { lexeme } of termsOf(text)) frequency.set(lexeme, (frequency.get(lexeme) ?? 0) + factor)
  }
  count(to.title, TITLE_FACTOR)
  count(to.body.slice(0, MAX_BODY_CHARACTERS), 1)
  for (const tag of to.tags) frequency.set(tagLexeme(tag), TAG_FACTOR)
  return frequency
}
