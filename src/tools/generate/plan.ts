/** The input of a generated forum's threads: plain data, the same in every worker. */
export interface Plan {
  readonly seed: number
  readonly questions: number
  /** The first ids of this run; all ids follow from a question's number. */
  readonly first: {
    readonly question: number
    readonly answer: number
    readonly reply: number
    readonly person: number
  }
  readonly people: number
  readonly courses: readonly PlannedCourse[]
  /** Most frequent first. */
  readonly tags: readonly { readonly id: number; readonly name: string }[]
}

export interface PlannedCourse {
  readonly id: number
  readonly categoryId: number
  readonly lectureIds: readonly number[]
  /** The most active authors of answers: the instructor and two assistants. */
  readonly staff: readonly number[]
}

/** Consecutive questions per chunk. */
export const CHUNK_SIZE = 1000

/** Posts are spread over these years, independent of the current date: the same seed gives the same forum. */
export const FIRST_POST_MS = Date.UTC(2019, 0, 7)
export const LAST_POST_MS = Date.UTC(2026, 9, 31)

export const ANSWERS_PER_QUESTION = 2.5
export const REPLIES_PER_QUESTION = 1.2

/** The exact numbers of answers and replies of the first questions, so that ids can be assigned in advance. */
export const answersBefore = (questions: number) => Math.floor(questions * ANSWERS_PER_QUESTION)
export const repliesBefore = (questions: number) => Math.floor(questions * REPLIES_PER_QUESTION)

/**
 * The time of a share of all questions, 0 to 1: activity grows, so the first half of the questions takes most of the
 * years.
 */
export const timeAt = (share: number) =>
  FIRST_POST_MS + Math.floor((LAST_POST_MS - FIRST_POST_MS) * share ** 0.6)

/** Number of people: enough that most ask once or twice, as in real forums. */
export const peopleFor = (questions: number) => 20 + Math.ceil(questions / 5)
export const coursesFor = (questions: number) => Math.ceil(questions / 50_000)
export const tagsFor = (questions: number) => Math.round(12 * questions ** 0.4)
