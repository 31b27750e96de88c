import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type OffencesReport, offenceLines } from './offences-report.ts'
import { HOUR_MS } from './rhythm.ts'
import type { Act, Session } from './staff.ts'
import type { Thread } from './threads.ts'
import type { ToldReport } from './told-report.ts'
import type { World } from './world.ts'

/** What a simulated course was like. Waits are in hours; shares 0 to 1. */
export interface Report {
  readonly questions: number
  readonly openedShare: number
  readonly firstAnswer: Wait
  readonly staffAnswer: Wait
  /** Half hours at the desk by how many acts they had. */
  readonly days: readonly { readonly acts: string; readonly sessions: number; readonly minutes: number }[]
  readonly acts: Readonly<Record<Act, number>>
  /** What was left at the end: on the desk, with classmates' answers only, unresolved at all. */
  readonly waiting: number
  readonly longestWait: number
  readonly classmatesOnly: number
  readonly unresolved: number
  readonly offences: OffencesReport
  readonly told: ToldReport
}

interface Wait {
  readonly count: number
  readonly median: number
  readonly ninetieth: number
}

/** Numbers of acts that are reported together. */
const GROUPS = [0, 1, 5, 10, 15, 20] as const

export async function reportOf(
  db: Database,
  { courseId }: World,
  threads: readonly Thread[],
  sessions: readonly Session[],
  end: number,
): Promise<Omit<Report, 'told' | 'offences'>> {
  const opened = threads.filter(({ openedAt }) => openedAt !== null)
  return {
    questions: threads.length,
    openedShare: opened.length / Math.max(1, threads.length),
    firstAnswer: waitOf(threads, ({ helpedAt }) => helpedAt),
    staffAnswer: waitOf(threads, ({ staffAt }) => staffAt),
    days: daysOf(sessions),
    acts: actsOf(sessions),
    ...(await leftOf(db, courseId, end)),
  }
}

/** The report as lines of text. */
export function reportLines(report: Report): string[] {
  const { firstAnswer, staffAnswer, acts } = report
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`
  const hours = (value: number) => `${value.toFixed(1)} h`
  const wait = ({ count, median, ninetieth }: Wait) =>
    `median ${hours(median)}, 90th percentile ${hours(ninetieth)} (${count} questions)`
  return [
    `questions posted: ${report.questions}`,
    `opened by staff: ${percent(report.openedShare)}`,
    `wait for help by anybody: ${wait(firstAnswer)}`,
    `wait for staff, where they came: ${wait(staffAnswer)}`,
    `acts of staff: ${acts.answered} answered, ${acts['asked back']} asked back, ${acts.linked} linked as duplicates, ${acts.endorsed} endorsed, ${acts.decided} cases decided`,
    ...report.days.map(
      ({ acts: number, sessions, minutes }) =>
        `${number} acts a day: ${sessions} times, ${minutes.toFixed(1)} minutes on average`,
    ),
    `left at the end: ${report.waiting} waiting (the longest ${hours(report.longestWait)}), ${report.classmatesOnly} answered by classmates only, ${report.unresolved} unresolved`,
    ...offenceLines(report.offences),
    ...toldLines(report.told),
  ]
}

/** Lines of differences that are shown. */
const MAX_DIFFERENCES = 10

function toldLines({ counts, differences }: ToldReport): string[] {
  const more = differences.length - MAX_DIFFERENCES
  return [
    ...counts.map(
      ({ what, found, expected }) =>
        `${what}: ${found}, by posts, follows, roles and settings ${expected}${found === expected ? '' : ': NOT EQUAL'}`,
    ),
    `differences, one by one: ${differences.length === 0 ? 'none' : differences.length}`,
    ...differences.slice(0, MAX_DIFFERENCES),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

function waitOf(threads: readonly Thread[], endOf: (thread: Thread) => number | null): Wait {
  const hours = threads
    .flatMap((thread) => {
      const at = endOf(thread)
      return at === null ? [] : [(at - thread.askedAt) / HOUR_MS]
    })
    .toSorted((one, other) => one - other)
  const at = (share: number) => hours[Math.min(hours.length - 1, Math.floor(share * hours.length))] ?? 0
  return { count: hours.length, median: at(0.5), ninetieth: at(0.9) }
}

function daysOf(sessions: readonly Session[]): Report['days'] {
  return GROUPS.flatMap((least, index) => {
    const most = (GROUPS[index + 1] ?? Number.POSITIVE_INFINITY) - 1
    const these = sessions.filter(({ acts }) => acts.length >= least && acts.length <= most)
    if (these.length === 0) return []
    const minutes = these.reduce((sum, session) => sum + session.minutes, 0) / these.length
    const name =
      least === most
        ? String(least)
        : most === Number.POSITIVE_INFINITY
          ? `${least} or more`
          : `${least}–${most}`
    return [{ acts: name, sessions: these.length, minutes }]
  })
}

function actsOf(sessions: readonly Session[]): Report['acts'] {
  const all = sessions.flatMap(({ acts }) => acts)
  const count = (act: Act) => all.filter((one) => one === act).length
  return {
    answered: count('answered'),
    'asked back': count('asked back'),
    linked: count('linked'),
    endorsed: count('endorsed'),
    decided: count('decided'),
  }
}

/** As the desk says at the end. */
async function leftOf(db: Database, courseId: number, end: number) {
  const { rows } = await sql<{
    waiting: number
    since: Date | null
    classmatesOnly: number
    unresolved: number
  }>`
    select count(*) filter (where waiting_since is not null) as waiting, min(waiting_since) as since,
      count(*) filter (where classmates_since is not null) as "classmatesOnly",
      (select count(*) from questions where course_id = ${courseId} and status = 'unresolved' and duplicate_of is null) as unresolved
    from question_desk where course_id = ${courseId}`.execute(db)
  const { waiting = 0, since = null, classmatesOnly = 0, unresolved = 0 } = rows[0] ?? {}
  return {
    waiting,
    longestWait: since === null ? 0 : (end - since.getTime()) / HOUR_MS,
    classmatesOnly,
    unresolved,
  }
}
