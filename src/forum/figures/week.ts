import type { AskedQuestion } from './queries.ts'
import { type Samples, samplesOf, type Tally, tallyOf } from './tally.ts'

/** What a week adds to the figures. It is about the questions asked in it. Times are in seconds. */
export interface Week {
  readonly monday: string
  readonly questions: number
  /** Who asked, each once. */
  readonly askers: readonly number[]
  readonly resolved: number
  /** Questions that are a day old, and how many of them were answered within it. */
  readonly dayOld: number
  readonly withinDay: number
  readonly firstAnswer: Samples
  readonly firstStaffAnswer: Samples
  readonly resolution: Samples
  readonly staffAnswers: number
  readonly classmateAnswers: number
  /** By the hour of the week. */
  readonly hours: ReadonlyMap<number, Tally>
  /** Questions by the lecture's id. */
  readonly lectures: ReadonlyMap<number, number>
}

const DAY_SECONDS = 86_400

export function weekOf(monday: string, questions: readonly AskedQuestion[]): Week {
  const old = questions.filter(({ isDayOld }) => isDayOld)
  const byHour = Map.groupBy(questions, ({ hour }) => hour)
  const byLecture = Map.groupBy(questions, ({ lectureId }) => lectureId)
  return {
    monday,
    questions: questions.length,
    askers: [...new Set(questions.map(({ asker }) => asker))],
    resolved: questions.filter(({ isResolved }) => isResolved).length,
    dayOld: old.length,
    withinDay: old.filter(({ firstAnswer }) => firstAnswer !== null && firstAnswer <= DAY_SECONDS).length,
    firstAnswer: waitsOf(questions, ({ firstAnswer }) => firstAnswer),
    firstStaffAnswer: waitsOf(questions, ({ firstStaffAnswer }) => firstStaffAnswer),
    resolution: waitsOf(questions, ({ resolution }) => resolution),
    staffAnswers: questions.reduce((sum, { staffAnswers }) => sum + staffAnswers, 0),
    classmateAnswers: questions.reduce((sum, { classmateAnswers }) => sum + classmateAnswers, 0),
    hours: new Map([...byHour].map(([hour, here]) => [hour, tallyOf(here.map(({ asker }) => asker))])),
    lectures: new Map([...byLecture].flatMap(([id, here]) => (id === null ? [] : [[id, here.length]]))),
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
