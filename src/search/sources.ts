import type { ReadableCourses } from '../courses/readable.ts'
import type { Database } from '../database/schema.ts'
import type { SearchFilters } from './filters.ts'
import { statesOf } from './filters.ts'
import { bestPlaces } from './places.ts'
import type { Condition } from './plan.ts'
import type { SearchQuery } from './query.ts'
import { countClasses } from './statistics.ts'

/** Where candidates come from: documents that match, or the newest questions, whose documents then have to match. */
export interface Source {
  readonly along: 'terms' | 'questions'
  /** tsquery text of what a document must have; null: anything. */
  readonly match: string | null
  /** Only documents of these classes (places.ts); null: of all. */
  readonly places: readonly number[] | null
}

/** So many documents are ranked at the most. A search that expects more looks among the best of them only. */
export const MOST_RANKED = 1000
/** How many matching documents a search wants among the best, and where that found next to nothing. */
export const BEST = 500
const SECOND = 4000
/** Beyond so many courses their classes are more than an index should be asked for. */
const FEW_COURSES = 3

/**
 * Where a search looks. Few documents: in all of them. Many: the best of those with the words themselves, the best of those
 * with whatever counts as them, and where filters lead; if that finds next to nothing, among more of them.
 */
export async function sourcesOf(
  db: Database,
  { filters, phrases }: SearchQuery,
  courses: ReadableCourses,
  wide: Condition,
  narrow: Condition,
): Promise<Source[][]> {
  const all: Source = { along: 'terms', match: wide.match, places: null }
  if (wide.match !== null && wide.expected <= MOST_RANKED) return [[all]]
  // A phrase is looked for in each document that has its words: in so many more of them.
  const factor = phrases.length === 0 ? 1 : 1 / 4
  const best = await bestOf(db, courses, statesOf(filters))
  const itself = narrow.match === wide.match ? [] : [best(narrow, BEST * factor)]
  const led: Source[] = leadsToQuestions(filters) ? [{ ...all, along: 'questions' }] : []
  const attempts = [[...itself, best(wide, BEST * factor), ...led], [best(wide, SECOND * factor * factor)]]
  if (!narrowsQuestions(filters) && phrases.length === 0) attempts.push([all])
  return attempts
}

/** Gives the best documents that meet a condition, about as many as are wanted. */
export async function bestOf(
  db: Database,
  courses: ReadableCourses,
  states: readonly number[],
): Promise<(condition: Condition, wanted: number) => Source> {
  const counts = await countClasses(db)
  const scope = courses.share < 1 && courses.ids.length <= FEW_COURSES ? courses.ids : 'forum'
  return ({ match, expected }, wanted) => ({
    along: 'terms',
    match,
    places: bestPlaces(counts, wanted / Math.max(expected, 1), scope, states),
  })
}

/** Whether an index of questions leads to what filters ask for. */
function leadsToQuestions({ lecture, by, written }: SearchFilters): boolean {
  return [lecture, by, written.from, written.to].some((value) => value !== null)
}

/** Whether filters ask for what only the question itself tells. */
export function narrowsQuestions({ lecture, by, answers, written }: SearchFilters): boolean {
  const asked = [lecture, by, answers.from, answers.to, written.from, written.to]
  return asked.some((value) => value !== null)
}
