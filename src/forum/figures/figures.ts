import { type Cell, cellOf, isFew, percentile, roundedToFive } from './cells.ts'
import type { AskedQuestion, AskedWords, CourseNow } from './queries.ts'
import { tellingTerms } from './terms.ts'
import { mondaysOf, type Weeks } from './weeks.ts'

/** The figures of a course over whole weeks. They are about the questions asked in these weeks. Times are in seconds. */
export interface CourseFigures {
  readonly weeks: readonly WeekFigures[]
  readonly questions: Cell
  /** Shares are 0 to 1. */
  readonly resolved: Cell
  readonly waiting: Cell
  readonly withinDay: Cell
  readonly firstAnswer: Wait
  readonly firstStaffAnswer: Wait
  readonly resolution: Wait
  /** Answers, by who wrote them: in the weeks whose answers are shown. */
  readonly answers: { readonly staff: number; readonly classmates: number }
  /** Questions in each hour of the week, from Monday midnight, rounded to fives. */
  readonly hours: readonly Cell[]
  /** The same in pieces of four hours. */
  readonly quarters: readonly Cell[]
  /** Most asked about first; those that fewer than five people asked about are left out. */
  readonly lectures: readonly LectureFigures[]
  readonly hiddenLectures: number
}

export interface WeekFigures {
  /** Its Monday. */
  readonly monday: string
  readonly questions: Cell
  readonly answers: Cell
  readonly withinDay: Cell
  readonly firstAnswer: Wait
  readonly firstStaffAnswer: Wait
  readonly resolution: Wait
}

export interface Wait {
  readonly median: Cell
  readonly ninetieth: Cell
}

export interface LectureFigures {
  readonly position: number
  readonly title: string
  /** Rounded to fives. */
  readonly questions: number
  readonly perHundred: number
  /** What sets its questions apart, the most telling first. */
  readonly terms: readonly string[]
}

const HOURS = 168
const QUARTER_HOURS = 4

export function figuresOf(
  weeks: Weeks,
  asked: readonly AskedQuestion[],
  words: readonly AskedWords[],
  now: CourseNow,
  learnersCount: number,
): CourseFigures {
  const byWeek = Map.groupBy(asked, ({ week }) => week)
  const shown = [...byWeek.values()].filter((questions) => !isFew(askersOf(questions))).flat()
  const answered = [...Map.groupBy(shown, ({ week }) => week).values()].filter(
    (week) => !isFew(classmatesOf(week)),
  )
  const lectures = lectureFigures(shown, words, now, learnersCount)
  return {
    weeks: mondaysOf(weeks).map((monday, week) => ({ monday, ...weekFigures(byWeek.get(week) ?? []) })),
    questions: cellOf(askersOf(shown), () => shown.length),
    resolved: cellOf(askersOf(shown), () => shareOf(shown, ({ isResolved }) => isResolved)),
    waiting: now.waitingPeople > 0 && now.waitingPeople < 5 ? 'few' : now.waitingCount,
    ...waitsOf(shown),
    answers: { staff: staffAnswersOf(answered.flat()), classmates: classmatesOf(answered.flat()).length },
    hours: countsBy(shown, HOURS, ({ hour }) => hour),
    quarters: countsBy(shown, HOURS / QUARTER_HOURS, ({ hour }) => Math.floor(hour / QUARTER_HOURS)),
    lectures: lectures.shown,
    hiddenLectures: lectures.hidden,
  }
}

function weekFigures(questions: readonly AskedQuestion[]): Omit<WeekFigures, 'monday'> {
  const askers = askersOf(questions)
  if (isFew(askers)) {
    const few: Wait = { median: 'few', ninetieth: 'few' }
    const waits = { firstAnswer: few, firstStaffAnswer: few, resolution: few }
    return { questions: 'few', answers: 'few', withinDay: 'few', ...waits }
  }
  const classmates = classmatesOf(questions)
  return {
    questions: questions.length,
    answers: cellOf(classmates, () => staffAnswersOf(questions) + classmates.length),
    ...waitsOf(questions),
  }
}

function waitsOf(questions: readonly AskedQuestion[]) {
  const old = questions.filter(({ isDayOld }) => isDayOld)
  return {
    withinDay: cellOf(askersOf(old), () =>
      shareOf(old, ({ firstAnswer }) => firstAnswer !== null && firstAnswer <= 86_400),
    ),
    firstAnswer: waitOf(questions, ({ firstAnswer }) => firstAnswer),
    firstStaffAnswer: waitOf(questions, ({ firstStaffAnswer }) => firstStaffAnswer),
    resolution: waitOf(questions, ({ resolution }) => resolution),
  }
}

function waitOf(
  questions: readonly AskedQuestion[],
  secondsOf: (question: AskedQuestion) => number | null,
): Wait {
  const over = questions.filter((question) => secondsOf(question) !== null)
  const seconds = over.map((question) => secondsOf(question) ?? 0)
  const at = (share: number) => cellOf(askersOf(over), () => percentile(seconds, share))
  return { median: at(0.5), ninetieth: at(0.9) }
}

function countsBy(
  questions: readonly AskedQuestion[],
  length: number,
  placeOf: (question: AskedQuestion) => number,
): Cell[] {
  const byPlace = Map.groupBy(questions, placeOf)
  return Array.from({ length }, (_, place) => {
    const here = byPlace.get(place) ?? []
    return cellOf(askersOf(here), () => roundedToFive(here.length))
  })
}

function lectureFigures(
  shown: readonly AskedQuestion[],
  words: readonly AskedWords[],
  now: CourseNow,
  learnersCount: number,
) {
  const byLecture = Map.groupBy(shown, ({ lectureId }) => lectureId)
  const telling = tellingTerms(words)
  const asked = now.lectures.filter(({ id }) => byLecture.has(id))
  const lectures = asked.flatMap(({ id, position, title }): LectureFigures[] => {
    const here = byLecture.get(id) ?? []
    if (isFew(askersOf(here))) return []
    const questions = roundedToFive(here.length)
    const perHundred = Math.round((questions * 1000) / Math.max(learnersCount, 1)) / 10
    return [{ position, title, questions, perHundred, terms: telling.get(id) ?? [] }]
  })
  return {
    shown: lectures.toSorted(
      (one, other) => other.questions - one.questions || one.position - other.position,
    ),
    hidden: asked.length - lectures.length,
  }
}

function shareOf<Item>(items: readonly Item[], isOne: (item: Item) => boolean): number | null {
  return items.length === 0 ? null : items.filter(isOne).length / items.length
}

const askersOf = (questions: readonly AskedQuestion[]) => questions.map(({ asker }) => asker)
const classmatesOf = (questions: readonly AskedQuestion[]) =>
  questions.flatMap(({ classmates }) => classmates)
const staffAnswersOf = (questions: readonly AskedQuestion[]) =>
  questions.reduce((sum, { staffAnswers }) => sum + staffAnswers, 0)
