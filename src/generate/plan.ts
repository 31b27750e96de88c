/** What a generated forum's threads are made from: plain data, the same in every worker. */
export interface Plan {
  readonly seed: number
  readonly questions: number
  /** Ids from here on belong to this run; each follows from a question's number alone. */
  readonly first: {
    readonly question: number
    readonly answer: number
    readonly reply: number
    readonly person: number
  }
  readonly people: number
  readonly courses: readonly PlannedCourse[]
  /** The commonest first. */
  readonly tags: readonly { readonly id: number; readonly name: string }[]
}

export interface PlannedCourse {
  readonly id: number
  readonly categoryId: number
  readonly lectureIds: readonly number[]
  /** Who answers much of it: the instructor and two assistants. */
  readonly staff: readonly number[]
}

/** A number of following questions that are made at once. */
export const CHUNK = 1000

/** Times run over these years. They do not depend on today: the same seed gives the same forum. */
export const FROM = Date.UTC(2019, 0, 7)
export const TO = Date.UTC(2026, 9, 31)

export const ANSWERS_PER_QUESTION = 2.5
export const REPLIES_PER_QUESTION = 1.2

/** How many answers and replies the first so many questions have, exactly: ids can be given out in advance. */
export const answersBefore = (questions: number) => Math.floor(questions * ANSWERS_PER_QUESTION)
export const repliesBefore = (questions: number) => Math.floor(questions * REPLIES_PER_QUESTION)

/** When the forum is so far, 0 to 1: it grows, so that the first half of its questions takes most of its years. */
export const timeAt = (share: number) => FROM + Math.floor((TO - FROM) * share ** 0.6)

/** Enough people that most ask once or twice, as everywhere. */
export const peopleFor = (questions: number) => 20 + Math.ceil(questions / 5)
export const coursesFor = (questions: number) => Math.ceil(questions / 50_000)
export const tagsFor = (questions: number) => Math.round(12 * questions ** 0.4)
