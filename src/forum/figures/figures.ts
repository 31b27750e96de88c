import type { Database, Write } from '../../database/schema.ts'
import { waitingCount } from '../courses/course-bar.ts'
import {
  blocksOf,
  dayAfter,
  dayIn,
  mondaysOf,
  periodsOf,
  unitOf,
  type Weeks,
  weeksBetween,
  weeksShown,
} from './periods.ts'
import {
  type AskedQuestion,
  type AskedWords,
  askedQuestions,
  askedWords,
  beginningsOf,
  countLearners,
  lecturesOf,
  type Subject,
  staffOf,
} from './queries.ts'
import {
  type Cell,
  cellOf,
  NOTHING,
  percentile,
  roundedToFive,
  type Samples,
  samplesOf,
  sumOf,
  type Tally,
  tallyOf,
  valuesOf,
} from './tally.ts'
import { tellingTerms } from './terms.ts'

export type CourseFigures = Awaited<ReturnType<typeof countFigures>>
export type PeriodFigures = CourseFigures['total']

const HOURS = 168
const QUARTER_HOURS = 4
export type WaitName = 'firstAnswer' | 'firstStaffAnswer' | 'resolution'
/** The weeks of many years in one statement would exceed its time limit. */
const WEEKS_AT_ONCE = 52
/** More questions than this hardly change which words set a lecture apart. */
const MAX_WORDS = 1500

/** The figures of a course over whole weeks. They are about the questions asked in these weeks. Times are in seconds. */
export async function countFigures(db: Database | Write, course: Subject, range: Weeks) {
  const today = dayIn(new Date(), course.timeZone)
  const { asked } = await beginningsOf(db, course)
  const history = mondaysOf(weeksBetween(asked === null || asked > today ? today : asked, today))
  const mondays = [...new Set([...history, ...mondaysOf(range)])].sort()
  const [weeks, waiting, lectures, learners] = await Promise.all([
    countWeeks(db, course, mondays),
    waitingCount(db, course.id),
    lecturesOf(db, course.id),
    countLearners(db, course.id),
  ])
  const words = await askedWords(db, course, weeksOfWords(range, weeks))
  const inRange = weeksIn(weeks, range)
  const unit = unitOf(inRange.map(askersOf))
  const count = counterOf(weeks)
  return {
    unit,
    periods: periodsOf(unit, inRange).map(count),
    total: count(inRange),
    before: questionsBefore(range, weeks),
    waiting,
    ...hoursOf(weeks, inRange),
    lectures: lectureFigures(inRange, words, lectures, learners),
  }
}

/** @param mondays of all weeks since the first question, or the range's beginning: which are only shown together depends on all */
async function countWeeks(db: Database | Write, course: Subject, mondays: readonly string[]) {
  const staff = await staffOf(db, course.id)
  const weeks: Week[] = []
  for (let first = 0; first < mondays.length; first += WEEKS_AT_ONCE) {
    const some = mondays.slice(first, first + WEEKS_AT_ONCE)
    const asked = Map.groupBy(await askedQuestions(db, course, staff, some), ({ monday }) => monday)
    weeks.push(...some.map((monday) => weekOf(monday, asked.get(monday) ?? [])))
  }
  return weeks
}

/**
 * The weeks of a range whose words may be shown: so many people asked that five are behind each difference.
 * Of these the newest, until they have MAX_WORDS questions about lectures; ascending.
 */
function weeksOfWords(range: Weeks, history: readonly Week[]): string[] {
  const inRange = weeksIn(history, range)
  const shown = new Set(weeksShown(blocksOf(history.map(askersOf)), mondaysIn(inRange)))
  const newest: string[] = []
  let count = 0
  for (const { monday, lectures } of inRange.toReversed()) {
    if (!shown.has(monday) || lectures.size === 0) continue
    newest.push(monday)
    for (const questions of lectures.values()) count += questions
    if (count >= MAX_WORDS) break
  }
  return newest.toReversed()
}

/** Counts the weeks of a period, from a Monday to a Sunday, exactly, and measures waits in those of its blocks. */
function counterOf(history: readonly Week[]) {
  const blocksBy = (name: WaitName) =>
    blocksOf(history.map((week) => ({ monday: week.monday, people: week[name].people })))
  const blocks = {
    firstAnswer: blocksBy('firstAnswer'),
    firstStaffAnswer: blocksBy('firstStaffAnswer'),
    resolution: blocksBy('resolution'),
  }
  return (weeks: readonly Week[]) => {
    const mondays = mondaysIn(weeks)
    const wait = (name: WaitName) => {
      const shown = new Set(weeksShown(blocks[name], mondays))
      return waitOf(
        weeks.map((week) => week[name]),
        weeks.filter(({ monday }) => shown.has(monday)).map((week) => week[name]),
      )
    }
    return {
      from: weeks[0]?.monday ?? '',
      to: dayAfter(weeks.at(-1)?.monday ?? '', 6),
      questions: totalOf(weeks, ({ questions }) => questions),
      people: new Set(weeks.flatMap(({ askers }) => askers)).size,
      resolved: totalOf(weeks, ({ resolved }) => resolved),
      dayOld: totalOf(weeks, ({ dayOld }) => dayOld),
      withinDay: totalOf(weeks, ({ withinDay }) => withinDay),
      answers: {
        staff: totalOf(weeks, ({ staffAnswers }) => staffAnswers),
        classmates: totalOf(weeks, ({ classmateAnswers }) => classmateAnswers),
      },
      firstAnswer: wait('firstAnswer'),
      firstStaffAnswer: wait('firstStaffAnswer'),
      resolution: wait('resolution'),
    }
  }
}

/** @param all whether there is anything to measure @param shown what may be */
function waitOf(all: readonly Samples[], shown: readonly Samples[]) {
  const values = valuesOf(shown)
  const hidden: Cell = all.some((samples) => samples.values.length > 0) ? 'few' : null
  return { median: percentile(values, 0.5) ?? hidden, ninetieth: percentile(values, 0.9) ?? hidden }
}

/** Questions in each hour of the week, from Monday midnight, rounded to fives, and in pieces of four hours. */
function hoursOf(history: readonly Week[], inRange: readonly Week[]) {
  const shown = new Set(weeksShown(blocksOf(history.map(askersOf)), mondaysIn(inRange)))
  const tallies = inRange.filter(({ monday }) => shown.has(monday)).map(({ hours }) => hours)
  const byHour = Array.from({ length: HOURS }, (_, hour) =>
    sumOf(tallies.map((hours) => hours.get(hour) ?? NOTHING)),
  )
  return {
    hours: byHour.map(roundedCell),
    quarters: Array.from({ length: HOURS / QUARTER_HOURS }, (_, quarter) =>
      roundedCell(sumOf(byHour.slice(quarter * QUARTER_HOURS, (quarter + 1) * QUARTER_HOURS))),
    ),
  }
}

/** Most asked about first, with the terms that set their questions apart, the most telling first. */
function lectureFigures(
  weeks: readonly Week[],
  words: readonly AskedWords[],
  lectures: Awaited<ReturnType<typeof lecturesOf>>,
  learners: number,
) {
  const telling = tellingTerms(words)
  const asked = lectures.flatMap(({ id, position, title }) => {
    const questions = totalOf(weeks, (week) => week.lectures.get(id) ?? 0)
    if (questions === 0) return []
    const perHundred = Math.round((questions * 1000) / Math.max(learners, 1)) / 10
    return [{ position, title, questions, perHundred, terms: telling.get(id) ?? [] }]
  })
  return asked.toSorted((one, other) => other.questions - one.questions || one.position - other.position)
}

/** Questions in as many weeks before; null: the course began after their first. */
function questionsBefore(range: Weeks, history: readonly Week[]): number | null {
  const from = dayAfter(range.from, -7 * range.count)
  const first = history.find(({ questions }) => questions > 0)
  if (first === undefined || first.monday > from) return null
  return totalOf(weeksIn(history, { from, to: range.from }), ({ questions }) => questions)
}

const weeksIn = (weeks: readonly Week[], { from, to }: Pick<Weeks, 'from' | 'to'>) =>
  weeks.filter(({ monday }) => monday >= from && monday < to)
const mondaysIn = (weeks: readonly Week[]) => new Set(weeks.map(({ monday }) => monday))
const askersOf = ({ monday, askers }: Week) => ({ monday, people: askers })
const roundedCell = (tally: Tally): Cell => cellOf(tally, () => roundedToFive(tally.count))
const totalOf = (weeks: readonly Week[], numberOf: (week: Week) => number) =>
  weeks.reduce((sum, week) => sum + numberOf(week), 0)

type Week = ReturnType<typeof weekOf>

const DAY_SECONDS = 86_400

/** What a week adds to the figures. It is about the questions asked in it. Times are in seconds. */
function weekOf(monday: string, questions: readonly AskedQuestion[]) {
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

function waitsOf(questions: readonly AskedQuestion[], secondsOf: (question: AskedQuestion) => number | null) {
  return samplesOf(
    questions.flatMap((question) => {
      const value = secondsOf(question)
      return value === null ? [] : [{ value, person: question.asker }]
    }),
  )
}
