import { sql } from 'kysely'
import { REPORT_REASONS, type Write } from '../../database/schema.ts'
import { personOf } from '../../operations/actor.ts'
import { choice, flag, line, optional, text } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { notFound, Problem } from '../../operations/problem.ts'
import { refusal } from '../../operations/refused.ts'
import { formatDay } from '../../text/dates.ts'
import { futureDay } from '../desk/future-day.ts'
import { mustBeRule } from './named-rule.ts'
import { lockPersonPlace, mustBeAbove, type PersonPlace } from './person-place.ts'
import { removePosts, undoRemoval } from './removals.ts'
import { endSuspensions, isSuspendedThere, suspend } from './suspend.ts'

const placeIn = ({ personId, course }: PersonPlace) => ({ personId, courseId: course?.id ?? null })
/** The log fields of someone in a course, or in the forum. */
const noted = ({ personId, course }: PersonPlace) => ({ authorId: personId, courseId: course?.id ?? null })
const note = () => text({ min: 0, max: 5000 })

export const suspension = operation({
  name: 'suspend-person',
  right: 'moderate',
  find: lockPersonPlace,
  once: true,
  input: { until: optional(line({ min: 1, max: 20 })), reason: note() },
  rules: [mustBeAbove],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    if (await isSuspendedThere(write, placeIn(subject))) throw new Problem('alreadySuspended')
    const until = input.until === null ? null : await endOfDay(write, input.until, subject)
    const begun = { ...placeIn(subject), until, note: input.reason }
    const id = await suspend(write, personOf(actor).id, begun)
    if (id === null) throw notFound()
    log('moderated', { act: 'suspend', measureId: id, ...noted(subject) })
    return { personId: subject.personId }
  },
})

/** The beginning of a day in the course, from which on the person may write again. @throws Refused */
async function endOfDay(write: Write, typed: string, { course }: PersonPlace): Promise<Date> {
  const timeZone = course?.timeZone ?? 'UTC'
  const day = futureDay(typed, formatDay(new Date(), timeZone))
  if (day === null) throw refusal('until', 'staffActs.until.bad')
  const { rows } = await sql<{
    at: Date
  }>`select ${day}::date::timestamp at time zone ${timeZone} as at`.execute(write)
  return rows[0]?.at ?? new Date()
}

export const suspensionEnd = operation({
  name: 'unsuspend-person',
  right: 'moderate',
  find: lockPersonPlace,
  input: { note: note() },
  rules: [mustBeAbove],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    const ended = await endSuspensions(write, personOf(actor).id, { ...placeIn(subject), note: input.note })
    if (ended > 0) log('moderated', { act: 'lift-suspend', count: ended, ...noted(subject) })
    return { personId: subject.personId, ended }
  },
})

/** Deletes all posts of somebody. `asks`: sent by a form with a box to tick, `sure`; without a reason it is 'other', of which people are told. */
export const postsRemoval = operation({
  name: 'delete-posts-of-person',
  right: 'moderate',
  find: lockPersonPlace,
  once: true,
  input: {
    reason: optional(choice(REPORT_REASONS, 'reports.form.noReason')),
    rule: line({ min: 0, max: 300 }),
    note: note(),
    asks: flag,
    sure: flag,
  },
  rules: [mustBeAbove],
  events: ['moderated'],
  async run({ write, actor, subject, input: { reason, rule, note, asks, sure }, note: log }) {
    if (asks && reason === null) throw refusal('reason', 'reports.form.noReason')
    await mustBeRule(write, subject.course?.id ?? null, rule)
    if (asks && !sure) throw refusal('sure', 'removal.sure.missing')
    const removed = { ...placeIn(subject), reason: reason ?? 'other', rule, note }
    const count = await removePosts(write, personOf(actor).id, removed)
    if (count > 0) log('moderated', { act: 'delete-posts', count, ...noted(subject) })
    return { personId: subject.personId, count }
  },
})

export const postsRestoration = operation({
  name: 'restore-posts-of-person',
  right: 'moderate',
  find: lockPersonPlace,
  rules: [mustBeAbove],
  events: ['moderated'],
  async run({ write, actor, subject, note: log }) {
    const outcome = await undoRemoval(write, personOf(actor).id, placeIn(subject))
    if (outcome === 'done') log('moderated', { act: 'restore-posts', ...noted(subject) })
    return { personId: subject.personId, outcome }
  },
})
