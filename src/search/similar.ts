import { sql } from 'kysely'
import { visibleTo } from '../courses/visibility.ts'
import type { Database } from '../database/schema.ts'
import type { Actor } from '../rights.ts'
import { plainText } from '../text/plain.ts'
import { termsOf } from '../text/terms.ts'
import { tagLexeme } from './document.ts'
import { EXACTLY_RANKED, roughRankOf, similarityWeights, tellingWeight, textRank } from './ranking.ts'
import { MOST_RANKED } from './sources.ts'
import { countDocuments } from './statistics.ts'
import { tellingMatches } from './telling-matches.ts'

/** A question that may be the same as another, or near it. */
export interface SimilarQuestion {
  readonly id: number
  readonly title: string
  readonly status: 'resolved' | 'unresolved'
  readonly answersCount: number
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

/** Terms that take part: the most telling ones. A word of the title, or a tag, counts as much as so many of the body. */
const MOST_TERMS = 60
const TITLE_FACTOR = 3
const TAG_FACTOR = 2
const LONGEST_BODY = 6000

/**
 * Questions about the same, the nearest first: those sharing the most telling words, in titles above all. Work is
 * bounded: candidates come by the rarest words and pairs of words, at most MOST_RANKED of them.
 */
export async function findSimilar(
  db: Database,
  viewer: Actor | null,
  to: SimilarTo,
  size = 5,
): Promise<SimilarQuestion[]> {
  const { terms, match } = await tellingTerms(db, to)
  if (match === null) return []
  const inCourse = to.courseId === null ? sql`true` : sql`d.course_id = ${to.courseId}`
  const { rows } = await sql<SimilarRow>`
    with candidates as materialized (
      select d.question_id from (select question_id, course_id from search_documents where terms @@ ${match}::tsquery) as d
      join courses as course on course.id = d.course_id
      where ${inCourse} and ${visibleTo(viewer)} and d.question_id <> ${to.exceptId ?? 0} limit ${MOST_RANKED}
    ), chosen as materialized (
      select d.question_id from candidates join search_documents as d on d.question_id = candidates.question_id
      order by ${roughRankOf(terms)} desc, d.score desc limit ${EXACTLY_RANKED}
    ), best as (
      select q.id, ${textRank(terms, similarityWeights)} as rank
      from chosen join questions as q on q.id = chosen.question_id and q.deleted_at is null
      join search_documents as d on d.question_id = q.id
      order by rank desc, q.id desc limit ${size}
    )
    select q.id, q.title, q.status, q.answers_count, best.rank,
      (select left(body_html, 2000) from answers where question_id = q.id and deleted_at is null
        order by id is not distinct from q.accepted_answer_id desc, votes_count desc, id limit 1) as answer_html
    from best join questions as q on q.id = best.id order by best.rank desc, q.id desc`.execute(db)
  return rows.map(({ answers_count: answersCount, answer_html: html, ...row }) => ({
    ...row,
    answersCount,
    answer: html === null ? null : plainText(html),
  }))
}

interface SimilarRow {
  readonly id: number
  readonly title: string
  readonly status: 'resolved' | 'unresolved'
  readonly answers_count: number
  readonly rank: number
  readonly answer_html: string | null
}

/** The words that tell most, weighted, and tsquery text of what tells which documents are worth a look. */
async function tellingTerms(db: Database, to: SimilarTo) {
  const frequency = new Map<string, number>()
  const count = (text: string, factor: number) => {
    for (const { lexeme } of termsOf(text)) frequency.set(lexeme, (frequency.get(lexeme) ?? 0) + factor)
  }
  count(to.title, TITLE_FACTOR)
  count(to.body.slice(0, LONGEST_BODY), 1)
  for (const tag of to.tags) frequency.set(tagLexeme(tag), TAG_FACTOR)
  const { counts, total } = await countDocuments(db, [...frequency.keys()])
  const known = [...frequency]
    .filter(([lexeme]) => (counts.get(lexeme) ?? 0) > 0)
    // Seen often in one text tells more, but ever less (the logarithm of BM25 and its kin).
    .map(([lexeme, seen]) => ({
      lexeme,
      weight: Math.log1p(seen) * tellingWeight(counts.get(lexeme) ?? 0, total) ** 2,
    }))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MOST_TERMS)
  const matches = tellingMatches(
    known.map((term) => ({ ...term, count: counts.get(term.lexeme) ?? 0 })),
    total,
  )
  return { terms: known, match: matches.length === 0 ? null : matches.join(' | ') }
}
