import { sql } from 'kysely'
import type { Database } from '../../../database/schema.ts'
import type { ReadableCourses } from '../../../kernel/rights/visibility.ts'
import { type Beside, NOTHING_BESIDE } from '../candidates.ts'
import type { SearchQuery } from '../query.ts'
import type { RankTerm } from '../ranking.ts'
import { type LearnedQuestion, learnedBy, MOST } from './learned.ts'

export interface RankedHit {
  readonly id: number
  readonly title: string
  readonly status: 'resolved' | 'unresolved'
  readonly duplicate_of: number | null
  readonly rank: number
}

/** What is added to the rank of a question that many found by all of the words. */
const BONUS = 0.1
/** From so many hits with all the words on, those that others learned are not looked for: a page is full. */
const FULL = 20

/** The questions that others found by the words of a search, as a JSON array; none where filters leave some out. */
export function learnedFor(query: SearchQuery, courses: ReadableCourses): Beside['learned'] {
  const { course: _, tags, lecture, by, is, answers, written } = query.filters
  const narrowed = [lecture, by, answers.from, answers.to, written.from, written.to]
  const isNarrowed = tags.length + is.length > 0 || narrowed.some((value) => value !== null)
  const lexemes = [...new Set(query.groups.flatMap((group) => group.lexemes))]
  if (isNarrowed || lexemes.length === 0) return NOTHING_BESIDE.learned
  const match = [
    ...query.groups.map((group) => group.match),
    ...query.phrases.map((group) => group.match),
    ...query.excluded.map((excluded) => `!${excluded}`),
  ].join(' & ')
  return learnedBy(lexemes, courses, match)
}

/**
 * The hits that have all the words, with what was learned: those that many found by them come earlier; those that have them only
 * together with learned words, and those that a hit is a duplicate of, are added. What one person did moves none of the others.
 * @param hits the best first
 */
export async function withLearned(
  db: Database,
  courses: ReadableCourses,
  terms: readonly RankTerm[],
  hits: readonly RankedHit[],
  learned: readonly LearnedQuestion[],
): Promise<readonly RankedHit[]> {
  const promoted = promote(hits, terms, learned)
  if (hits.length >= FULL) return promoted
  const known = new Set(hits.map(({ id }) => id))
  const taught = learned.filter(({ id, is_whole: isWhole }) => isWhole && !known.has(id))
  const originals = await originalsOf(db, courses, hits)
  const withOriginals = promoted.flatMap((hit) => {
    const original = originals.find(({ id }) => id === hit.duplicate_of)
    if (original === undefined || known.has(original.id)) return [hit]
    known.add(original.id)
    return [hit, original]
  })
  return [
    ...withOriginals,
    ...taught.filter(({ id }) => !known.has(id)).map((question) => ({ ...question, rank: 0 })),
  ]
}

function promote(
  hits: readonly RankedHit[],
  terms: readonly RankTerm[],
  learned: readonly LearnedQuestion[],
): readonly RankedHit[] {
  const bonus = new Map<number, number>()
  const whole = terms.reduce((sum, { weight }) => sum + weight, 0)
  for (const { id, words, of_many: ofMany } of learned) {
    const known = terms.filter(({ lexeme }) => ofMany.includes(lexeme))
    const share = known.reduce((sum, { lexeme, weight }) => sum + (weight * (words[lexeme] ?? 0)) / MOST, 0)
    if (share > 0) bonus.set(id, (BONUS * share) / whole)
  }
  if (bonus.size === 0) return hits
  const rank = (hit: RankedHit) => hit.rank + (bonus.get(hit.id) ?? 0)
  return hits.toSorted((one, other) => rank(other) - rank(one))
}

/** The questions that staff linked hits to, as far as everybody in a readable course reads them. */
async function originalsOf(db: Database, courses: ReadableCourses, hits: readonly RankedHit[]) {
  const ids = [...new Set(hits.flatMap(({ duplicate_of: id }) => id ?? []))]
  if (ids.length === 0) return []
  const { rows } = await sql<RankedHit>`
    select id, title, status, duplicate_of, 0::real as rank from questions
    where id = any(${ids}::bigint[]) and is_listed and course_id = any(${courses.ids}::bigint[])`.execute(db)
  return rows
}
