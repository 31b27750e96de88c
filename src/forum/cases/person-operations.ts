import { type RawBuilder, sql } from 'kysely'
import { type Database, REPORT_REASONS, type Role, type Write } from '../../database/schema.ts'
import { OPERATOR, personOf } from '../../kernel/actor.ts'
import { choice, flag, line, optional, text } from '../../kernel/fields.ts'
import { type Doing, operation } from '../../kernel/operation.ts'
import { forbidden, notFound, Problem, refusal } from '../../kernel/problem.ts'
import { formatDay } from '../../text/dates.ts'
import { mayHandle } from '../handling/handlers.ts'
import { futureDay } from '../posts/day-ahead.ts'
import { endSuspensions, isSuspendedThere, removePosts, suspend, undoRemoval } from './acts-on-people.ts'
import { NO_COURSE } from './case-subject.ts'
import { mustBeRule } from './decision.ts'

interface PersonKey {
  readonly personId: number
  /** A slug; empty: everywhere. */
  readonly course: string
}

export type PersonPlace = Awaited<ReturnType<typeof findPersonPlace>>

/**
 * Finds a person in a course, or everywhere (`course` null), which is the admins'. `isKnown`: in the course, whose staff know no one else.
 * @throws Problem 'notFound'
 */
export async function findPersonPlace(
  db: Database | Write,
  { personId, course: slug }: PersonKey,
  lock: RawBuilder<unknown> = sql``,
) {
  const { rows } = await sql<{
    name: string
    isAdmin: boolean
    role: Role | null
    courseId: number | null
    title: string | null
    timeZone: string | null
    isPublic: boolean
    isKnown: boolean
  }>`
    select person.display_name as name, person.is_admin as "isAdmin", member.role, course.id as "courseId",
      course.title, course.time_zone as "timeZone", coalesce(course.is_public, false) as "isPublic",
      member.role is not null or ${IS_KNOWN} as "isKnown"
    from people as person left join courses as course on course.slug = ${slug}
    left join course_members as member on member.course_id = course.id and member.person_id = person.id
    where person.id = ${personId} and person.left_at is null ${lock}`.execute(db)
  const [found] = rows
  if (found === undefined || (slug !== '' && found.courseId === null)) throw notFound()
  const { name, isAdmin, role, courseId, title, timeZone, isPublic, isKnown } = found
  return {
    ...{ personId, name, role, isAdmin, isKnown },
    course: courseId === null ? null : { id: courseId, title: title ?? '', timeZone: timeZone ?? 'UTC' },
    courseId: courseId ?? NO_COURSE,
    isPublic,
    isOpen: false,
    isArchived: false,
  }
}

/**
 * Whether someone posted in a course, in whatever way, or is under a measure there. Uses the aliases `person` and `course`. Who is in no
 * course is looked for in none, and who has a post that counts isn't looked for among all that they ever wrote.
 */
const IS_KNOWN = sql<boolean>`(course.id is not null and (
  exists (select from course_authors as wrote where wrote.person_id = person.id and wrote.course_id = course.id
    and wrote.questions_count + wrote.answers_count > 0)
  or exists (select from questions where author_id = person.id and course_id = course.id)
  or exists (select from answers join questions on questions.id = answers.question_id
    where answers.author_id = person.id and questions.course_id = course.id)
  or exists (select from replies join questions on questions.id = replies.question_id
    where replies.author_id = person.id and questions.course_id = course.id)
  or exists (select from measures where measures.person_id = person.id and measures.course_id = course.id
    and measures.ended_at is null)))`

const lockPersonPlace = (write: Write, key: PersonKey) =>
  findPersonPlace(write, key, sql`for no key update of person`)

/**
 * Nobody does it to themselves or to an equal; people who are unknown in the course aren't there, for admins as well.
 * @throws Problem 'forbidden', 'notFound'
 */
export function mustBeAbove({ actor, subject }: Pick<Doing<unknown, PersonPlace>, 'actor' | 'subject'>) {
  if (actor === OPERATOR) return
  const { personId, role, isAdmin, isKnown, course } = subject
  if (course !== null && !isKnown) throw notFound()
  const handled = { personId, role, isAdmin, courseId: course?.id ?? null, isForAdmins: course === null }
  if (!mayHandle(actor, handled)) throw forbidden()
}

const placeIn = ({ personId, course }: PersonPlace) => ({ personId, courseId: course?.id ?? null })
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
