import { sql } from 'kysely'
import { REPORT_REASONS, type Role, type Write } from '../../database/schema.ts'
import { type Doer, OPERATOR, personOf } from '../../operations/actor.ts'
import { choice, line, optional, text } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { forbidden, notFound } from '../../operations/problem.ts'
import { refusal } from '../../operations/refused.ts'
import type { Place } from '../../rights/rights.ts'
import { formatDay } from '../../text/dates.ts'
import { futureDay } from '../desk/future-day.ts'
import { NO_COURSE } from './case-subject.ts'
import { mayHandle } from './handlers.ts'
import { removePosts, undoRemoval } from './removals.ts'
import { endSuspensions, suspend } from './suspend.ts'

/** The moderated person and the course. */
interface PersonPlace extends Place {
  readonly personId: number
  readonly role: Role | null
  readonly isAdmin: boolean
  /** In the course: the staff of a course know no one else. */
  readonly isKnown: boolean
  /** null: everywhere. */
  readonly course: { readonly id: number; readonly timeZone: string } | null
}

interface PersonKey {
  readonly personId: number
  /** A slug; empty: everywhere. */
  readonly course: string
}

/** Finds a person in a course, or everywhere, which is the admins'. @throws Problem 'notFound' */
async function personPlace(write: Write, { personId, course: slug }: PersonKey): Promise<PersonPlace> {
  const { rows } = await sql<{
    isAdmin: boolean
    role: Role | null
    courseId: number | null
    timeZone: string | null
    isPublic: boolean
    isKnown: boolean
  }>`
    select person.is_admin as "isAdmin", member.role, course.id as "courseId", course.time_zone as "timeZone",
      coalesce(course.is_public, false) as "isPublic", member.role is not null or ${IS_KNOWN} as "isKnown"
    from people as person left join courses as course on course.slug = ${slug}
    left join course_members as member on member.course_id = course.id and member.person_id = person.id
    where person.id = ${personId} and person.left_at is null for no key update of person`.execute(write)
  const [found] = rows
  if (found === undefined || (slug !== '' && found.courseId === null)) throw notFound()
  const { isAdmin, role, courseId, timeZone, isPublic, isKnown } = found
  return {
    personId,
    role,
    isAdmin,
    isKnown,
    course: courseId === null ? null : { id: courseId, timeZone: timeZone ?? 'UTC' },
    courseId: courseId ?? NO_COURSE,
    isPublic,
    isOpen: false,
    isArchived: false,
  }
}

/** Whether someone posted in a course, in whatever way, or is under a measure there. Uses the aliases `person` and `course`. */
const IS_KNOWN = sql<boolean>`(
  exists (select from questions where author_id = person.id and course_id = course.id)
  or exists (select from answers join questions on questions.id = answers.question_id
    where answers.author_id = person.id and questions.course_id = course.id)
  or exists (select from replies join questions on questions.id = replies.question_id
    where replies.author_id = person.id and questions.course_id = course.id)
  or exists (select from measures where measures.person_id = person.id and measures.course_id = course.id
    and measures.ended_at is null))`

/** Nobody does it to themselves or to an equal; people who are unknown in the course aren't there, for admins as well. */
function mustBeAbove({ actor, subject }: { readonly actor: Doer; readonly subject: PersonPlace }): void {
  if (actor === OPERATOR) return
  const { personId, role, isAdmin, isKnown, course } = subject
  if (course !== null && !isKnown) throw notFound()
  const handled = { personId, role, isAdmin, courseId: course?.id ?? null, isForAdmins: course === null }
  if (!mayHandle(actor, handled)) throw forbidden()
}

const placeIn = ({ personId, course }: PersonPlace) => ({ personId, courseId: course?.id ?? null })
const note = () => text({ min: 0, max: 5000 })

export const suspension = operation({
  name: 'suspend-person',
  right: 'moderate',
  find: personPlace,
  once: true,
  input: { until: optional(line({ min: 1, max: 20 })), reason: note() },
  rules: [mustBeAbove],
  async run({ write, actor, subject, input, note: log }) {
    const until = input.until === null ? null : await endOfDay(write, input.until, subject)
    const begun = { ...placeIn(subject), until, note: input.reason }
    const id = await suspend(write, personOf(actor).id, begun)
    if (id === null) throw notFound()
    log('moderated', {
      act: 'suspend',
      measureId: id,
      authorId: subject.personId,
      courseId: subject.course?.id ?? null,
    })
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
  find: personPlace,
  input: { note: note() },
  rules: [mustBeAbove],
  async run({ write, actor, subject, input, note: log }) {
    const ended = await endSuspensions(write, personOf(actor).id, { ...placeIn(subject), note: input.note })
    if (ended > 0)
      log('moderated', {
        act: 'lift-suspend',
        authorId: subject.personId,
        courseId: subject.course?.id ?? null,
        count: ended,
      })
    return { personId: subject.personId, ended }
  },
})

export const postsRemoval = operation({
  name: 'delete-posts-of-person',
  right: 'moderate',
  find: personPlace,
  once: true,
  input: { reason: choice(REPORT_REASONS, 'reports.form.noReason'), note: note() },
  rules: [mustBeAbove],
  async run({ write, actor, subject, input, note: log }) {
    const removed = { ...placeIn(subject), reason: input.reason, note: input.note }
    const count = await removePosts(write, personOf(actor).id, removed)
    if (count > 0)
      log('moderated', {
        act: 'delete-posts',
        authorId: subject.personId,
        courseId: subject.course?.id ?? null,
        count,
      })
    return { personId: subject.personId, count }
  },
})

export const postsRestoration = operation({
  name: 'restore-posts-of-person',
  right: 'moderate',
  find: personPlace,
  rules: [mustBeAbove],
  async run({ write, actor, subject, note: log }) {
    const isDone = await undoRemoval(write, personOf(actor).id, placeIn(subject))
    if (isDone)
      log('moderated', {
        act: 'restore-posts',
        authorId: subject.personId,
        courseId: subject.course?.id ?? null,
      })
    return { personId: subject.personId, isDone }
  },
})
