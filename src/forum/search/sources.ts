import type { Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../kernel/rights/visibility.ts'
import { bestPlaces } from './places.ts'
import { type SearchFilters, type SearchQuery, statesOf } from './query.ts'
import { countClasses } from './statistics.ts'

/** Where candidates come from: documents that match, or the newest questions, whose documents then have to match. */
export interface Source {
  readonly along: 'terms' | 'questions'
  /** tsquery text of what a document must have; null: anything. */
  readonly match: string | null
  /** Only documents of these classes (places.ts); null: of all. */
  readonly places: readonly number[] | null
  /** Every document that matches is in it, where there are fewer than MAX_RANKED. */
  readonly isWhole: boolean
}

export interface Condition {
  /** tsquery text; null: any document. */
  readonly match: string | null
  readonly expected: number
}

/**
 * Documents ranked at most; fewer are counted exactly. A search that expects more looks among the best of
 * them only.
 */
export const MAX_RANKED = 1000
/** How many matching documents a search wants among the best, and where that found next to nothing. */
export const BEST = 300
const SECOND = 4000
const ALL = Number.POSITIVE_INFINITY
const BEST_OF_PHRASE = 125
/** Maximum number of courses whose classes the index is asked for. */
const FEW_COURSES = 3

/** Sources looked in together; with fewer hits than `enough` the next attempt is made. */
export interface Attempt {
  readonly sources: readonly Source[]
  readonly enough: number
}

/** A page of documents that have the words themselves leaves no room for those with something like them. */
const PAGE = 20
const FEW = 3

/**
 * Where a search looks. Few documents: in all of them. Many: the best of those with the words themselves and where filters
 * lead; then the best of those with whatever counts as the words; if that finds next to nothing, among more of them.
 */
export async function attemptsOf(
  db: Database,
  { filters, phrases }: SearchQuery,
  courses: ReadableCourses,
  wide: Condition,
  narrow: Condition,
): Promise<Attempt[]> {
  const all: Source = { along: 'terms', match: wide.match, places: null, isWhole: true }
  if (wide.match !== null && wide.expected <= MAX_RANKED) return [{ sources: [all], enough: FEW }]
  const isLed = leadsToQuestions(filters)
  const newest: Source = { ...all, along: 'questions', isWhole: wide.match === null }
  // Without words the filters say it all.
  if (isLed && wide.match === null) return [{ sources: [newest], enough: FEW }]
  const best = await bestOf(db, courses, statesOf(filters))
  if (wide.expected <= MAX_RANKED) return [{ sources: [best(wide, ALL)], enough: FEW }]
  const led = isLed ? [newest] : []
  // A phrase is looked for in each document that has its words: many more than have it, so once, among fewer of them.
  if (phrases.length > 0) return [{ sources: [best(wide, BEST_OF_PHRASE), ...led], enough: FEW }]
  const attempts: Attempt[] = []
  const itself = narrow.match === wide.match ? [] : [best(narrow, BEST), ...led]
  if (itself.length > 0) attempts.push({ sources: itself, enough: PAGE })
  attempts.push({ sources: [...(itself.length > 0 ? itself : led), best(wide, BEST)], enough: FEW })
  attempts.push({ sources: [best(wide, SECOND)], enough: FEW })
  if (!narrowsQuestions(filters)) attempts.push({ sources: [best(wide, ALL)], enough: FEW })
  return attempts
}

/** Gives the best documents that meet a condition, about as many as are wanted. */
export async function bestOf(db: Database, courses: ReadableCourses, states: readonly number[]) {
  const counts = await countClasses(db)
  const scope = courses.share < 1 && courses.ids.length <= FEW_COURSES ? courses.ids : 'forum'
  return ({ match, expected }: Condition, wanted: number): Source => {
    const { classes, isWhole } = bestPlaces(counts, wanted / Math.max(expected, 1), scope, states)
    return { along: 'terms', match, places: classes, isWhole }
  }
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
