import type { AskedQuestion } from './queries.ts'
import { isFew, type Samples, samplesOf, type Tally, tallyOf } from './tally.ts'

/** What a week adds to the figures. It is about the questions asked in it. Times are in seconds. */
export interface Week {
  readonly ids: readonly number[]
  /** false: so few people asked that it is in no figure. */
  readonly isShown: boolean
  /** Each question is a day old: nothing of it changes by the clock any more. */
  readonly isSettled: boolean
  readonly asked: Tally
  readonly resolved: number
  /** Questions that are a day old, and how many of them were answered within it. */
  readonly dayOld: Tally
  readonly withinDay: number
  readonly firstAnswer: Samples
  readonly firstStaffAnswer: Samples
  readonly resolution: Samples
  readonly staffAnswers: number
  readonly classmates: Tally
  /** By the hour of the week. */
  readonly hours: ReadonlyMap<number, Tally>
  /** By the lecture's id. */
  readonly lectures: ReadonlyMap<number, Tally>
}

const DAY_SECONDS = 86_400

export function weekOf(questions: readonly AskedQuestion[]): Week {
  const asked = tallyOf(askersOf(questions))
  const old = questions.filter(({ isDayOld }) => isDayOld)
  return {
    ids: questions.map(({ id }) => id),
    isShown: !isFew(asked),
    isSettled: old.length === questions.length,
    asked,
    resolved: questions.filter(({ isResolved }) => isResolved).length,
    dayOld: tallyOf(askersOf(old)),
    withinDay: old.filter(({ firstAnswer }) => firstAnswer !== null && firstAnswer <= DAY_SECONDS).length,
    firstAnswer: waitsOf(questions, ({ firstAnswer }) => firstAnswer),
    firstStaffAnswer: waitsOf(questions, ({ firstStaffAnswer }) => firstStaffAnswer),
    resolution: waitsOf(questions, ({ resolution }) => resolution),
    staffAnswers: questions.reduce((sum, { staffAnswers }) => sum + staffAnswers, 0),
    classmates: tallyOf(questions.flatMap(({ classmates }) => classmates)),
    hours: talliesBy(questions, ({ hour }) => hour),
    lectures: talliesBy(
      questions.filter(({ lectureId }) => lectureId !== null),
      ({ lectureId }) => lectureId ?? 0,
    ),
  }
}

function waitsOf(
  questions: readonly AskedQuestion[],
  secondsOf: (question: AskedQuestion) => number | null,
): Samples {
  return samplesOf(
    questions.flatMap((question) => {
      const value = secondsOf(question)
      return value === null ? [] : [{ value, person: question.asker }]
    }),
  )
}

function talliesBy(
  questions: readonly AskedQuestion[],
  placeOf: (question: AskedQuestion) => number,
): Map<number, Tally> {
  const groups = Map.groupBy(questions, placeOf)
  return new Map([...groups].map(([place, here]) => [place, tallyOf(askersOf(here))]))
}

const askersOf = (questions: readonly AskedQuestion[]) => questions.map(({ asker }) => asker)
