import { type RawBuilder, sql } from 'kysely'
import type { CaseAbout, Database, Role, Write } from '../../database/schema.ts'
import { OPERATOR, personOf } from '../../kernel/actor.ts'
import { flag, line, optional } from '../../kernel/fields.ts'
import { type Doing, operation } from '../../kernel/operation.ts'
import { forbidden, notFound, Problem, refusal } from '../../kernel/problem.ts'
import { formatDay } from '../../text/dates.ts'
import { mayHandle } from '../handling/handlers.ts'
import { isPastRestoring, isRemoval, measuresInForce } from '../handling/in-force.ts'
import { futureDay } from '../posts/day-ahead.ts'
import { lockQuestions } from '../posts/lock.ts'
import { deletePost } from '../posts/removal.ts'
import { decide, stateReasons } from './decision.ts'
import { liftMeasure } from './endings.ts'
import { lockWriter, NO_COURSE } from './find.ts'
import { type NewMeasure, takeMeasure } from './measures.ts'
import { ground, mustHaveReason, note, rule, type Why } from './reasons.ts'
import { findSubject, type PersonIn, postsOf } from './subject.ts'

export type PersonPlace = Awaited<ReturnType<typeof findPersonPlace>>

/**
 * Finds a person in a course, or everywhere (`course` null), which is the admins'. `isKnown`: in the course, whose staff know no one else.
 * @param key `course`: a slug; empty: everywhere
 * @throws Problem 'notFound'
 */
export async function findPersonPlace(
  db: Database | Write,
  { personId, course: slug }: { readonly personId: number; readonly course: string },
  lock: RawBuilder<unknown> = sql``,
) {
  const { rows } = await sql<{
    name: string
    author_is_admin: boolean
    author_role: Role | null
    course: { readonly id: number; readonly title: string; readonly timeZone: string } | null
    isPublic: boolean
    isKnown: boolean
  }>`
    select person.display_name as name, person.is_admin as author_is_admin, member.role as author_role, case when course.id is not null
        then jsonb_build_object('id', course.id, 'title', course.title, 'timeZone', course.time_zone) end as course,
      coalesce(course.is_public, false) as "isPublic", member.role is not null or ${IS_KNOWN} as "isKnown"
    from people as person left join courses as course on course.slug = ${slug}
    left join course_members as member on member.course_id = course.id and member.person_id = person.id
    where person.id = ${personId} and person.left_at is null ${lock}`.execute(db)
  const [found] = rows
  if (found === undefined || (slug !== '' && found.course === null)) throw notFound()
  const place: PersonIn = { personId, courseId: found.course?.id ?? null }
  const handled = { person_id: personId, course_id: place.courseId, is_for_admins: place.courseId === null }
  const ruled = { courseId: place.courseId ?? NO_COURSE, isOpen: false, isArchived: false }
  return { ...found, ...handled, ...ruled, place }
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

const lockPersonPlace = (write: Write, key: Parameters<typeof findPersonPlace>[1]) =>
  findPersonPlace(write, key, sql`for no key update of person`)

/**
 * Nobody does it to themselves or to an equal; people who are unknown in the course aren't there, for admins as well.
 * @throws Problem 'forbidden', 'notFound'
 */
export function mustBeAbove({ actor, subject }: Pick<Doing<unknown, PersonPlace>, 'actor' | 'subject'>) {
  if (actor === OPERATOR) return
  const { isKnown, course } = subject
  if (course !== null && !isKnown) throw notFound()
  if (!mayHandle(actor, subject)) throw forbidden()
}

/** The log fields of what is done to a person. */
export const noted = ({ place: { personId, courseId } }: PersonPlace) => ({ authorId: personId, courseId })

/** `asks`: sent by the page, on which a box says that it is for good; from elsewhere an empty `until` says that. */
export const suspension = operation({
  name: 'suspend-person',
  right: 'moderate',
  find: lockPersonPlace,
  once: true,
  input: {
    until: optional(line({ min: 1, max: 20 })),
    for_good: flag,
    ground: ground(),
    rule: rule(),
    reason: note(),
    asks: flag,
  },
  rules: [mustBeAbove],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    const { place } = subject
    if ((await suspensionThere(write, place)) !== undefined) throw new Problem('alreadySuspended')
    const day = input.for_good ? null : input.until
    if (day === null && input.asks && !input.for_good) throw refusal('until', 'staffActs.until.missing')
    const until = day === null ? null : endOfDay(day, subject)
    const why = { reason: input.ground ?? 'other', rule: input.rule, note: input.reason } as const
    await mustHaveReason(write, place.courseId, why, 'reason')
    const id = await suspend(write, personOf(actor).id, { ...place, until, ...why })
    if (id === null) throw notFound()
    log('moderated', { act: 'suspend', measureId: id, ...noted(subject) })
    return { id }
  },
})

/** The suspension of a person in a course, or everywhere. */
export async function suspensionThere(db: Database | Write, { personId, courseId: there }: PersonIn) {
  const inForce = await measuresInForce(db, personId)
  return inForce.find(({ kind, courseId }) => kind === 'suspend' && courseId === there)
}

/** The beginning of a day in the course, from which on the person may write again. @throws Refused */
function endOfDay(typed: string, { course }: PersonPlace): RawBuilder<Date> {
  const timeZone = course?.timeZone ?? 'UTC'
  const day = futureDay(typed, formatDay(new Date(), timeZone))
  if (day === null) throw refusal('until', 'staffActs.until.bad')
  return sql<Date>`(${day}::date::timestamp at time zone ${timeZone})`
}

/** Suspends somebody. @param until null: for good @returns the measure's id; null: the account is gone */
export async function suspend(
  write: Write,
  actorId: number,
  {
    until,
    reason = 'other',
    rule = '',
    note,
    ...place
  }: PersonIn & { readonly until: NewMeasure['endsAt'] } & Partial<Why> & Pick<Why, 'note'>,
): Promise<number | null> {
  await lockWriter(write, place.personId)
  const suspending = [{ kind: 'suspend', endsAt: until }] as const
  const acted = await actOnPerson(write, actorId, place, { reason, rule, note }, suspending)
  return acted?.measureIds[0] ?? null
}

export const suspensionEnd = operation({
  name: 'unsuspend-person',
  right: 'moderate',
  find: lockPersonPlace,
  input: { note: note() },
  rules: [mustBeAbove],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    const ended = await endSuspensions(write, personOf(actor).id, { ...subject.place, note: input.note })
    if (ended > 0) log('moderated', { act: 'lift-suspend', count: ended, ...noted(subject) })
    return { ended }
  },
})

/** Lifts all suspensions of somebody in a course, or everywhere. @returns how many there were */
export async function endSuspensions(
  write: Write,
  actorId: number,
  { personId, courseId, note }: PersonIn & { readonly note: string },
): Promise<number> {
  const inForce = await write
    .selectFrom('measures')
    .select('id')
    .where('person_id', '=', personId)
    .where('kind', '=', 'suspend')
    .where('ended_at', 'is', null)
    .where('is_everywhere', '=', courseId === null)
    .where('course_id', 'is not distinct from', courseId)
    .orderBy('id')
    .execute()
  let lifted = 0
  for (const { id } of inForce) if (await liftMeasure(write, actorId, id, note)) lifted += 1
  return lifted
}

/** Deletes all posts of somebody. `asks`: sent by a form with a box to tick, `sure`; without a reason it is 'other', of which people are told. */
export const postsRemoval = operation({
  name: 'delete-posts-of-person',
  right: 'moderate',
  find: lockPersonPlace,
  once: true,
  input: {
    reason: ground(),
    rule: rule(),
    note: note(),
    asks: flag,
    sure: flag,
  },
  rules: [mustBeAbove],
  events: ['moderated'],
  async run({ write, actor, subject, input: { reason, rule, note, asks, sure }, note: log }) {
    if (asks && reason === null) throw refusal('reason', 'reports.form.noReason')
    const why = { reason: reason ?? 'other', rule, note } as const
    await mustHaveReason(write, subject.place.courseId, why)
    if (asks && !sure) throw refusal('sure', 'removal.sure.missing')
    const count = await removePosts(write, personOf(actor).id, { ...subject.place, ...why })
    if (count > 0) log('moderated', { act: 'delete-posts', count, ...noted(subject) })
    return { count }
  },
})

/**
 * Deletes all posts of an account as one act, with a decided case of its own, and decides the open cases about these posts.
 * @returns how many posts
 */
export async function removePosts(
  write: Write,
  actorId: number,
  { reason, rule, note, ...place }: PersonIn & Why,
): Promise<number> {
  const posts = await removablePosts(write, place)
  if (posts.length === 0) return 0
  const questionIds = posts.map(({ questionId }) => questionId)
  await lockQuestions(write, questionIds)
  const why = { reason, rule, note }
  await actOnPerson(write, actorId, place, why, [{ kind: 'delete', endsAt: null }])
  for (const post of posts) await deletePost(write, post, actorId)
  await closeCasesOf(write, actorId, place, why, ['question', 'answer', 'reply'])
  return posts.length
}

export const removablePosts = (db: Database | Write, place: PersonIn) =>
  postsOf(db, place, sql`post.deleted_at is null`)

/**
 * Restores what the latest such act deleted. `outcome` 'none': there is none. 'late': REMOVAL_DAYS have
 * passed.
 */
export const postsRestoration = operation({
  name: 'restore-posts-of-person',
  right: 'moderate',
  find: lockPersonPlace,
  rules: [mustBeAbove],
  events: ['moderated'],
  async run({ write, actor, subject, note: log }) {
    const { personId, courseId } = subject.place
    const { rows } = await sql<{ id: number; isLate: boolean }>`
      select measure.id, ${isPastRestoring} as "isLate" from measures as measure join cases as matter on matter.id = measure.case_id
      where measure.person_id = ${personId} and ${isRemoval} and measure.course_id is not distinct from ${courseId}
      order by measure.starts_at desc limit 1`.execute(write)
    const [removal] = rows
    if (removal?.isLate === true) return { outcome: 'late' } as const
    const isDone = removal !== undefined && (await liftMeasure(write, personOf(actor).id, removal.id, ''))
    if (isDone) log('moderated', { act: 'restore-posts', ...noted(subject) })
    return { outcome: isDone ? 'done' : 'none' } as const
  },
})

/**
 * The open cases of somebody that staff of a place decide: of a course, those that were not passed on to the admins.
 * @param courseId null: all
 */
export const openCasesOf = (db: Database | Write, { personId, courseId }: PersonIn) =>
  db
    .selectFrom('cases')
    .where('person_id', '=', personId)
    .where('state', '=', 'open')
    .$if(courseId !== null, (query) =>
      query.where('course_id', '=', courseId).where('is_for_admins', '=', false),
    )

/**
 * Decides the open cases of somebody, for one reason: reports about what is gone wait for nobody. The person is told of what was done to
 * their account.
 */
export async function closeCasesOf(
  write: Write,
  actorId: number,
  place: PersonIn,
  why: Why,
  about: readonly CaseAbout[],
): Promise<void> {
  const open = await openCasesOf(write, place)
    .select(['id', 'version'])
    .where('about', 'in', about)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  for (const { id, version } of open)
    await decide(write, actorId, id, { version, isUpheld: true, measures: [], said: why })
}

/**
 * Takes measures about a person with a decided case of its own: reasons, objection and end are those of every measure.
 * @returns null: the account is gone
 */
export async function actOnPerson(
  write: Write,
  actorId: number,
  { personId, courseId }: PersonIn,
  why: Why,
  measures: readonly Pick<NewMeasure, 'kind' | 'endsAt'>[],
) {
  const text = await findSubject(write, { about: 'person', id: personId })
  if (text === null || text.isPurged) return null
  const matter = await write
    .insertInto('cases')
    .values({
      subject: `person-${personId}`,
      person_id: personId,
      course_id: courseId,
      is_for_admins: courseId === null,
      opened_by: actorId,
      is_reported: false,
      text_version: text.textVersion,
      ...why,
      state: 'upheld',
      decided_at: sql`now()`,
      decided_by: actorId,
    })
    .returning(['id', 'question_id', 'answer_id', 'reply_id', 'person_id', 'course_id', 'reason'])
    .executeTakeFirstOrThrow()
  const measureIds: (number | null)[] = []
  for (const measure of measures)
    measureIds.push(
      await takeMeasure(write, matter, { ...measure, isEverywhere: courseId === null }, actorId),
    )
  await stateReasons(write, matter)
  return { caseId: matter.id, measureIds }
}
