import { type RawBuilder, sql } from 'kysely'
import { idsOfAnyNumber, textsOfAnyNumber } from '../../../database/compiled.ts'
import type { Database } from '../../../database/schema.ts'
import type { ReadableCourses } from '../../../kernel/rights/visibility.ts'
import { quoted, tsquery } from '../document.ts'
import { isNarrowed, matchOf, type SearchQuery } from '../query.ts'
import type { Ranker, RankTerm } from '../rank.ts'

/** What a word is worth in a question that one person found by it, and at most; one of its own is worth 0.24 (body) to 0.61 (title). */
const OF_PERSON = 0.23
const OF_OPENING = 0.1
const MOST = 0.6
/** Days after which a word is worth half. */
const HALF_LIFE = 180
/** So many people make a word known whatever posts have it, and only so many change an order. */
export const MANY = 3
/** One person's words lead from one search to no more questions than these. */
const QUESTIONS_OF_PERSON = 2
const MAX_ROWS = 2000
const MAX_QUESTIONS = 50

/** A question that others found by these words, as little as finding it needs. */
export interface LearnedQuestion {
  readonly id: number
  readonly title: string
  readonly status: 'resolved' | 'unresolved'
  readonly duplicate_of: number | null
  /** What each of these words is worth, up to MOST: those it does not have itself, and those that many found it by. */
  readonly words: Readonly<Record<string, number>>
  readonly of_many: readonly string[]
  /** It has all that was searched for, together with what was learned. */
  readonly is_whole: boolean
}

/**
 * Questions that people found by any of these lexemes, as a JSON array. Uses indexes asked_instead_lexemes, search_openings_lexemes.
 * @param match tsquery text of a whole search; null: there is none
 */
export function learnedBy(lexemes: readonly string[], courses: ReadableCourses, match: string | null = null) {
  const isWhole =
    match === null
      ? sql`false`
      : sql`(d.terms || array_to_tsvector(array_agg(learned.lexeme))) @@ ${tsquery(match)}`
  const asked = textsOfAnyNumber(lexemes)
  return sql<readonly LearnedQuestion[]>`(select coalesce(json_agg(found), '[]') from (
    with sought as (
      select * from unnest(${asked}, ${textsOfAnyNumber(lexemes.map(quoted))}::tsquery[]) as sought (lexeme, query)),
    learned as (${learnedWords(asked, idsOfAnyNumber(courses.ids))})
    select q.id, q.title, q.status, q.duplicate_of, jsonb_object_agg(learned.lexeme, learned.weight) as words,
      coalesce(jsonb_agg(learned.lexeme) filter (where learned.people >= ${sql.lit(MANY)}), '[]') as of_many, ${isWhole} as is_whole
    from learned
    join questions as q on q.id = learned.question_id
    join search_documents as d on d.question_id = q.id
    where learned.people >= ${sql.lit(MANY)} or not d.terms @@ learned.query
    group by q.id, d.terms order by sum(learned.weight) desc, q.id desc limit ${sql.lit(MAX_QUESTIONS)}) as found)`
}

/**
 * The only place that reads learned words: rows (question_id, lexeme, query, weight, people) of what is sought. A question that not
 * everybody in its course reads has none. A word that fewer than MANY people typed counts while a post that everybody in the course
 * reads has it, so that nothing is found by a word that only private or deleted posts have.
 * @param lexemes of the rows of `sought`, an array
 */
function learnedWords(lexemes: RawBuilder<unknown>, courseIds: RawBuilder<unknown>) {
  const isShown = sql`q.is_listed and q.course_id = any(${courseIds})`
  const fresh = (days: RawBuilder<unknown>) => sql`power(0.5, greatest(0, ${days}) / ${sql.lit(HALF_LIFE)}.0)`
  return sql`
    select said.question_id, said.lexeme, said.query, least(${sql.lit(MOST)}, sum(said.weight))::real as weight, max(said.people) as people
    from (
      select typed.question_id, sought.lexeme, sought.query, sum(typed.weight) as weight, count(*) as people
      from (
        select one.*, row_number() over (partition by person_id order by shared desc, asked_at desc) as place from (
          select asked.*, q.course_id,
            (select count(*) from unnest(asked.lexemes) as own (lexeme) where own.lexeme = any(${lexemes})) as shared,
            ${sql.lit(OF_PERSON)} * ${fresh(sql`extract(day from now() - asked.asked_at)`)} as weight
          from asked_instead as asked
          join question_follows as follow
            on follow.question_id = asked.question_id and follow.person_id = asked.person_id and follow.instead_of_asking
          join questions as q on q.id = asked.question_id
          where asked.lexemes && ${lexemes} and ${isShown} limit ${sql.lit(MAX_ROWS)}) as one
      ) as typed
      join sought on sought.lexeme = any(typed.lexemes)
      where typed.place <= ${sql.lit(QUESTIONS_OF_PERSON)}
      group by typed.question_id, typed.course_id, sought.lexeme, sought.query
      having count(*) >= ${sql.lit(MANY)} or exists (
        select from search_documents as d where d.terms @@ sought.query and d.course_id = typed.course_id)
      union all
      select opened.question_id, sought.lexeme, sought.query, sum(opened.weight), max(opened.people)
      from (
        select question_id, word, lexemes, count(*) as people, ${sql.lit(OF_OPENING)} * sum(${fresh(sql`current_date - opened_on`)}) as weight
        from (
          select opening.* from search_openings as opening join questions as q on q.id = opening.question_id
          where opening.lexemes && ${lexemes} and ${isShown} limit ${sql.lit(MAX_ROWS)}) as one
        group by question_id, word, lexemes having count(*) >= ${sql.lit(MANY)}
      ) as opened
      join sought on sought.lexeme = any(opened.lexemes)
      group by opened.question_id, sought.lexeme, sought.query
    ) as said group by said.question_id, said.lexeme, said.query`
}

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
export function learnedFor(query: SearchQuery, courses: ReadableCourses) {
  const lexemes = [...new Set(query.groups.flatMap((group) => group.lexemes))]
  if (isNarrowed(query.filters) || lexemes.length === 0) return sql<null>`null`
  return learnedBy(lexemes, courses, matchOf(query))
}

/**
 * Ranks hits that have all the words by what was learned: those that many found by them come earlier; those that have them only
 * together with learned words, and those that a hit is a duplicate of, are added. What one person did moves none of the others.
 */
export function rankedByLearned(
  db: Database,
  courses: ReadableCourses,
  terms: readonly RankTerm[],
  learned: readonly LearnedQuestion[],
): Ranker<RankedHit> {
  return async (hits) => {
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
