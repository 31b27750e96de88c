import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { indexQueued } from '../../forum/search/index-question.ts'
import { renderedSamples } from '../generate/code-samples.ts'
import { Random } from '../generate/random.ts'
import { Agenda } from './agenda.ts'
import { Visit } from './forum.ts'
import { type Heard, Hearing } from './hearing.ts'
import { HABITS, Learners } from './learners.ts'
import { appointListeners } from './listeners.ts'
import { Moderators } from './moderators.ts'
import { offencesOf } from './offences-report.ts'
import { OFFENDERS, type Offence, type Offender, Offenders } from './offenders.ts'
import { type Report, reportOf } from './report.ts'
import { askTimes, DAY_MS, HOUR_MS, later, WEEK_MS } from './rhythm.ts'
import { type Done, type Session, Staff } from './staff.ts'
import { Subjects } from './subjects.ts'
import type { Thread } from './threads.ts'
import { toldReport } from './told-report.ts'
import { foundWorld, type Scenario } from './world.ts'

/** Questions of a learner in a week: assumed, not measured on people. */
const QUESTIONS_PER_LEARNER_WEEK = 0.05
/** Medians of what learners do after a while. */
const WAITS = { classmate: 3 * HOUR_MS, asker: 6 * HOUR_MS } as const
/** The first of the staff works at 9, the last at 19 o'clock. */
const WORK_HOURS = { first: 9, last: 19 } as const

type Event =
  | { readonly kind: 'ask' }
  | { readonly kind: 'help'; readonly thread: Thread }
  | { readonly kind: 'resolve'; readonly thread: Thread; readonly answerId: number | null }
  | { readonly kind: 'say'; readonly thread: Thread }
  | { readonly kind: 'work'; readonly visit: Visit; readonly staffId: number }
  | { readonly kind: 'offend'; readonly offender: Offender; readonly left: number }
  | { readonly kind: 'report'; readonly offence: Offence; readonly personId: number }
  | { readonly kind: 'hear'; readonly heard: Heard }

/** Whether nobody has used the forum yet. */
export async function isFresh(db: Database): Promise<boolean> {
  const { rows } = await sql<{ isUsed: boolean }>`
    select exists (select from courses) or exists (select from people) as "isUsed"`.execute(db)
  return rows[0]?.isUsed === false
}

/**
 * Weeks of a course on a fresh forum: learners ask, answer and resolve by operations, staff work at the desk by its pages and
 * forms. The same seed gives the same course. @param onDay called after each simulated day
 */
export async function simulate(app: FastifyInstance, scenario: Scenario, onDay: () => void): Promise<Report> {
  const world = await foundWorld(app.db, scenario, new Date())
  const random = new Random(scenario.seed)
  const subjects = new Subjects(await renderedSamples())
  const learners = new Learners(app, world, random, subjects)
  const threads = new Map<number, Thread>()
  const offenders = new Offenders(app, world, new Random(scenario.seed, 2))
  const moderators = new Moderators(app.db, world.slug, offenders.offences)
  const staff = new Staff(app.db, world.slug, threads, random, subjects, moderators)
  const agenda = new Agenda<Event>()
  const sessions: Session[] = []
  const end = world.beginsAt + scenario.weeks * WEEK_MS

  // With numbers of its own: the course is the same, whoever hears of it.
  const ears = new Random(scenario.seed, 1)
  const hearing = new Hearing(app, await appointListeners(app.db, world, ears), ears, (at, heard) =>
    agenda.enter(at, { kind: 'hear', heard }),
  )
  hearing.begin(world.beginsAt, end)
  const count = Math.round(scenario.learners * scenario.weeks * QUESTIONS_PER_LEARNER_WEEK)
  for (const at of askTimes(random, count, scenario.weeks)) agenda.enter(world.beginsAt + at, { kind: 'ask' })
  for (const [index, personId] of world.staffIds.entries()) {
    const visit = await Visit.begin(app, personId)
    for (let day = 0; day < scenario.weeks * 7; day += 1)
      agenda.enter(world.beginsAt + day * DAY_MS + workHour(index, scenario.staff) * HOUR_MS, {
        kind: 'work',
        visit,
        staffId: personId,
      })
  }
  for (let week = 0; week < scenario.weeks; week += 1)
    for (const [index, kind] of OFFENDERS.entries()) {
      const at = world.beginsAt + week * WEEK_MS + (1 + 2 * index) * DAY_MS
      agenda.enter(at, { kind: 'offend', offender: await offenders.join(kind, at), left: kind.posts })
    }

  for (let day = 1; day <= scenario.weeks * 7; day += 1) {
    const midnight = world.beginsAt + day * DAY_MS
    for (let next = agenda.next(midnight); next !== null; next = agenda.next(midnight))
      await happen(next.at, next.event)
    await indexQueued(app.db)
    onDay()
  }
  const told = await toldReport(app.db, hearing.expected, app.config.baseUrl)
  return {
    ...(await reportOf(app.db, world, [...threads.values()], sessions, end)),
    offences: offencesOf(offenders, end),
    told,
  }

  async function happen(at: number, event: Event): Promise<void> {
    if (event.kind === 'ask') return ask(at)
    if (event.kind === 'help') return help(event.thread, at)
    if (event.kind === 'hear') return hearing.happen(at, event.heard)
    if (event.kind === 'resolve') return resolve(event.thread, event.answerId, at)
    if (event.kind === 'say') return say(event.thread, at)
    if (event.kind === 'offend') return offend(event.offender, event.left, at)
    if (event.kind === 'report') return offenders.report(event.offence, event.personId, at)
    const { session, done } = await staff.work(event.visit, at)
    sessions.push(session)
    for (const act of done) {
      hearing.staffActed(act, event.staffId)
      react(act)
    }
  }

  async function ask(at: number): Promise<void> {
    // Lectures come one after the other; most questions are about those of this week.
    const place = (at - world.beginsAt) / (end - world.beginsAt) - 0.06 * (random.heavy(2) - 1)
    const lecture = Math.floor(Math.max(0, Math.min(0.999, place)) * world.lectureIds.length)
    const thread = await learners.ask(subjects.draw(lecture, random), at)
    if (thread === null) return
    threads.set(thread.id, thread)
    hearing.asked(thread, world.lectureIds[lecture] ?? null, at)
    if (random.chance(HABITS.helped))
      agenda.enter(later(random, at, WAITS.classmate), { kind: 'help', thread })
  }

  async function help(thread: Thread, at: number): Promise<void> {
    if (thread.isResolved) return
    const { id, authorId, isRight } = await learners.answer(thread, at)
    hearing.answered(thread, id, authorId, at)
    const after = later(random, at, WAITS.asker)
    if (isRight && random.chance(HABITS.resolves))
      agenda.enter(after, { kind: 'resolve', thread, answerId: id })
    if (!isRight && random.chance(HABITS.asksAgain)) agenda.enter(after, { kind: 'say', thread })
  }

  async function resolve(thread: Thread, answerId: number | null, at: number): Promise<void> {
    const isDone = await learners.resolve(thread, answerId, at)
    if (isDone && answerId !== null) hearing.accepted(thread, answerId, at)
  }

  async function say(thread: Thread, at: number): Promise<void> {
    const replyId = await learners.say(thread, at)
    if (replyId !== null) hearing.replied(thread, replyId, thread.askerId, at)
  }

  /** Posts, and again later; the first time when there is something to answer. */
  async function offend(offender: Offender, left: number, at: number): Promise<void> {
    if (threads.size === 0) return agenda.enter(at + HOUR_MS, { kind: 'offend', offender, left })
    const posted = await offenders.post(offender, [...threads.values()], at)
    if (posted !== null) {
      hearing.answered(posted.thread, posted.answerId, offender.personId, at)
      for (const { personId, at: when } of offenders.reportersOf(posted))
        agenda.enter(when, { kind: 'report', offence: posted, personId })
    }
    if (left > 1) agenda.enter(offenders.next(offender, at), { kind: 'offend', offender, left: left - 1 })
  }

  function react({ thread, act, at }: Done): void {
    if (act === 'decided') return
    const after = later(random, at, WAITS.asker)
    if (act === 'asked back' && random.chance(HABITS.saysMore)) agenda.enter(after, { kind: 'say', thread })
    if (act !== 'asked back' && random.chance(HABITS.resolves))
      agenda.enter(after, { kind: 'resolve', thread, answerId: null })
  }
}

function workHour(index: number, staff: number): number {
  const { first, last } = WORK_HOURS
  return staff === 1 ? first : first + ((last - first) * index) / (staff - 1)
}
