import { type Cell, FEWEST_PEOPLE, roundedToFive } from './cells.ts'
import type { AskedWords, CourseNow } from './queries.ts'
import {
  cellOf,
  isFew,
  NOTHING,
  percentileOf,
  type Samples,
  samplesTogether,
  sumOf,
  type Tally,
} from './tally.ts'
import { tellingTerms } from './terms.ts'
import type { Week } from './week.ts'

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

/** @param weeks each week of the range, from its beginning @param words those of the weeks that are shown */
export function figuresOf(
  mondays: readonly string[],
  weeks: readonly Week[],
  words: readonly AskedWords[],
  now: CourseNow,
  learnersCount: number,
): CourseFigures {
  const shown = weeks.filter(({ isShown }) => isShown)
  const answered = shown.filter(({ classmates }) => !isFew(classmates))
  const asked = sumOf(shown.map((week) => week.asked))
  const hours = talliesOf(shown.map((week) => week.hours))
  const byHour = Array.from({ length: HOURS }, (_, hour) => hours.get(hour) ?? NOTHING)
  const lectures = lectureFigures(talliesOf(shown.map((week) => week.lectures)), words, now, learnersCount)
  return {
    weeks: weeks.map((week, index) => ({ monday: mondays[index] ?? '', ...weekFigures(week) })),
    questions: asked.count,
    resolved: asked.count === 0 ? null : totalOf(shown, ({ resolved }) => resolved) / asked.count,
    waiting: now.waitingPeople > 0 && now.waitingPeople < FEWEST_PEOPLE ? 'few' : now.waitingCount,
    ...waitsOf(shown),
    answers: {
      staff: totalOf(answered, ({ staffAnswers }) => staffAnswers),
      classmates: totalOf(answered, ({ classmates }) => classmates.count),
    },
    hours: byHour.map(roundedCell),
    quarters: Array.from({ length: HOURS / QUARTER_HOURS }, (_, quarter) =>
      roundedCell(sumOf(byHour.slice(quarter * QUARTER_HOURS, (quarter + 1) * QUARTER_HOURS))),
    ),
    lectures: lectures.shown,
    hiddenLectures: lectures.hidden,
  }
}

function weekFigures(week: Week): Omit<WeekFigures, 'monday'> {
  if (!week.isShown) {
    const few: Wait = { median: 'few', ninetieth: 'few' }
    const waits = { firstAnswer: few, firstStaffAnswer: few, resolution: few }
    return { questions: 'few', answers: 'few', withinDay: 'few', ...waits }
  }
  const { asked, classmates, staffAnswers } = week
  return {
    questions: asked.count,
    answers: cellOf(classmates, () => staffAnswers + classmates.count),
    ...waitsOf([week]),
  }
}

function waitsOf(weeks: readonly Week[]) {
  const dayOld = sumOf(weeks.map((week) => week.dayOld))
  return {
    withinDay: cellOf(dayOld, () =>
      dayOld.count === 0 ? null : totalOf(weeks, ({ withinDay }) => withinDay) / dayOld.count,
    ),
    firstAnswer: waitOf(weeks, ({ firstAnswer }) => firstAnswer),
    firstStaffAnswer: waitOf(weeks, ({ firstStaffAnswer }) => firstStaffAnswer),
    resolution: waitOf(weeks, ({ resolution }) => resolution),
  }
}

function waitOf(weeks: readonly Week[], samplesIn: (week: Week) => Samples): Wait {
  const samples = samplesTogether(weeks.map(samplesIn))
  return { median: percentileOf(samples, 0.5), ninetieth: percentileOf(samples, 0.9) }
}

/** The tallies of all weeks, added up for each place. */
function talliesOf(weeks: readonly ReadonlyMap<number, Tally>[]): Map<number, Tally> {
  const parts = new Map<number, Tally[]>()
  for (const week of weeks) {
    for (const [place, tally] of week) {
      const there = parts.get(place)
      if (there === undefined) parts.set(place, [tally])
      else there.push(tally)
    }
  }
  return new Map([...parts].map(([place, tallies]) => [place, sumOf(tallies)]))
}

function lectureFigures(
  tallies: ReadonlyMap<number, Tally>,
  words: readonly AskedWords[],
  now: CourseNow,
  learnersCount: number,
) {
  const telling = tellingTerms(words)
  const asked = now.lectures.filter(({ id }) => tallies.has(id))
  const lectures = asked.flatMap(({ id, position, title }): LectureFigures[] => {
    const tally = tallies.get(id) ?? NOTHING
    if (isFew(tally)) return []
    const questions = roundedToFive(tally.count)
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

const roundedCell = (tally: Tally): Cell => cellOf(tally, () => roundedToFive(tally.count))
const totalOf = (weeks: readonly Week[], numberOf: (week: Week) => number) =>
  weeks.reduce((sum, week) => sum + numberOf(week), 0)
