import { sql } from 'kysely'

/** Likeness is in the words people chose for their trouble as much as in titles: for similar questions the body counts double. */
export const similarityWeights = sql.lit('{0.4,0.4,0.6,1}')

/**
 * How near questions are to a title, by its share of Hangul: English words are recognized by their stems; Korean ones have endings and
 * spaces of many kinds, so that titles are compared by pieces. Found by trying, measured in docs/bench/README.md. What likeness of
 * titles and words in common are worth, 0 to 1 each, and letters in the same order for Korean titles.
 */
const WORTH = {
  latin: { likeness: 0.05, words: 1 },
  hangul: { likeness: 1, words: 0.5 },
  letters: 0.2,
} as const
/** Whether a Korean title is about the same at all: likeness tells, or most words in common do, which count so much then. */
const KOREAN_WORDS = 0.6
const IN_ORDER = 25

/** Where the nearest ranks lower, all are about something else; for Korean titles among `from` questions, more among more. */
const FLOOR = { latin: 0.22, hangul: 0.2, rise: 0.0416, from: 100 } as const
/** A rare name in both titles makes up for the rest of the floor, from this share of it on. */
const LIFTED_FROM = 0.75
/** A question less than so near as the nearest would only distract. */
const NEAR_ENOUGH = 0.5

/** How near a question is, 0 to about 1: what the floor is of. */
export function nearnessOf(hangul: number, likeness: number, words: number): number {
  const latin = WORTH.latin.likeness * likeness + WORTH.latin.words * words
  return (1 - hangul) * latin + hangul * Math.max(likeness, KOREAN_WORDS * words)
}

/** What decides the order of those that are near. */
export function worthOf(hangul: number, likeness: number, words: number): number {
  const { latin, hangul: korean } = WORTH
  const worth = (of: typeof latin | typeof korean) => of.likeness * likeness + of.words * words
  return (1 - hangul) * worth(latin) + hangul * worth(korean)
}

type Worth = { readonly id: number; readonly title: string; readonly worth: number }

export const byWorth = (one: Worth, other: Worth) => other.worth - one.worth || other.id - one.id

/**
 * Korean titles once more, the first of them alone: by the order of their letters, too.
 * @param inOrder the share of letters that another title has in the same order
 */
export function inOrderOfLetters<Question extends Worth>(
  questions: readonly Question[],
  hangul: number,
  inOrder: (other: string) => number,
): readonly Question[] {
  if (hangul === 0) return questions
  const first = questions
    .slice(0, IN_ORDER)
    .map((one) => ({ ...one, worth: one.worth + hangul * WORTH.letters * inOrder(one.title) }))
  return [...first.sort(byWorth), ...questions.slice(IN_ORDER)]
}

/**
 * Among more questions the nearest one is nearer by chance: for Korean titles, of which likeness decides, the floor rises with
 * their number. Measured on questions without a duplicate, docs/bench/README.md.
 */
export function floorOf(hangul: number, among: number): number {
  const rising = FLOOR.hangul + FLOOR.rise * Math.log(Math.max(1, among / FLOOR.from))
  return (1 - hangul) * FLOOR.latin + hangul * rising
}

/**
 * Those worth showing: none rather than nonsense, and none far behind the nearest. If that one is about the same, so may be those that are
 * less like the title.
 * @param questions in the order in which they are shown
 */
export function worthShowing<Near extends { readonly rank: number }>(
  questions: readonly Near[],
  floor: number,
): Near[] {
  const nearest = Math.max(0, ...questions.map(({ rank }) => rank))
  return nearest < floor ? [] : questions.filter(({ rank }) => rank >= nearest * NEAR_ENOUGH)
}

export const liftedFrom = (floor: number) => floor * LIFTED_FROM
