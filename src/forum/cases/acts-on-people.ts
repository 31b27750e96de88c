import { sql } from 'kysely'
import type { Database, Row, Write } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueueDue } from '../../jobs/table.ts'
import { isPastRestoring, isRemoval, isSuspension } from '../handling/in-force.ts'
import { deletePost } from '../posts/removal.ts'
import { lockCase, lockWriter } from './case-subject.ts'
import { MAX_PASSED_ON, passOnStrandedCases } from './claims.ts'
import { decide, stateReasons } from './decision.ts'
import { endMeasure } from './measures.ts'
import { liftMeasure } from './objections.ts'
import { findSubject, type PersonIn, postsOf } from './subject.ts'
import { notifyOfCase } from './told.ts'

/** Suspends somebody. @param until null: for good @returns the measure's id; null: the account is gone */
export async function suspend(
  write: Write,
  actorId: number,
  { personId, courseId, until, note }: PersonIn & { readonly until: Date | null; readonly note: string },
): Promise<number | null> {
  await lockWriter(write, personId)
  const act = { personId, courseId, reason: 'other', rule: '', note, kind: 'suspend', endsAt: until } as const
  return actOnPerson(write, actorId, act)
}

export async function isSuspendedThere(write: Write, { personId, courseId }: PersonIn) {
  const { rows } = await sql`
    select from measures as measure where person_id = ${personId} and ${isSuspension} and course_id is not distinct from ${courseId}
    limit 1`.execute(write)
  return rows.length > 0
}

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

/** Measures whose time is over, as a job finds them. */
const endedByTime = sql`
  select id as key, ends_at as at from measures where ends_at <= now() and ended_at is null`

/**
 * Deletes all posts of an account as one act, with a decided case of its own, and decides the open cases about these posts.
 * @returns how many posts
 */
export async function removePosts(
  write: Write,
  actorId: number,
  { personId, courseId, ...said }: PersonIn & Reasons,
): Promise<number> {
  const posts = await postsOf(write, { personId, courseId }, sql`post.deleted_at is null`)
  if (posts.length === 0) return 0
  // In the order that all writes of several keep.
  const questionIds = posts.map(({ questionId }) => questionId)
  await sql`select from questions where id = any(${questionIds}::bigint[]) order by id for no key update`.execute(
    write,
  )
  const act = { personId, courseId, ...said, kind: 'delete', endsAt: null } as const
  await actOnPerson(write, actorId, act)
  await closeCasesOf(write, actorId, { personId, courseId })
  for (const post of posts) await deletePost(write, post, actorId)
  return posts.length
}

/**
 * Restores what the latest such act deleted, unless it is too long ago.
 * @returns 'none': there is none. 'late': REMOVAL_DAYS have passed
 */
export async function undoRemoval(
  write: Write,
  actorId: number,
  { personId, courseId }: PersonIn,
): Promise<'done' | 'none' | 'late'> {
  const { rows } = await sql<{ id: number; isLate: boolean }>`
    select measure.id, ${isPastRestoring} as "isLate" from measures as measure join cases as matter on matter.id = measure.case_id
    where measure.person_id = ${personId} and ${isRemoval} and measure.course_id is not distinct from ${courseId}
    order by measure.starts_at desc limit 1`.execute(write)
  const [removal] = rows
  if (removal === undefined) return 'none'
  if (removal.isLate) return 'late'
  return (await liftMeasure(write, actorId, removal.id, '')) ? 'done' : 'none'
}

/** Reports about posts that are gone wait for nobody, but for what was passed on to the admins, which a course's staff don't decide. */
async function closeCasesOf(write: Write, actorId: number, place: PersonIn): Promise<void> {
  const open = await write
    .selectFrom('cases')
    .select(['id', 'version'])
    .where('person_id', '=', place.personId)
    .where('state', '=', 'open')
    .where('about', '<>', 'person')
    .$if(place.courseId !== null, (query) =>
      query.where('course_id', '=', place.courseId).where('is_for_admins', '=', false),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const texts = { rule: '', note: '', reporterNote: '', staffNote: '' }
  for (const { id, version } of open)
    await decide(write, actorId, id, { version, isUpheld: true, measures: [], ...texts })
}

/** `rule`: of the course or the forum; empty: none is named. */
type Reasons = Pick<Row<'cases'>, 'reason' | 'rule' | 'note'>

interface ActOfStaff extends PersonIn, Reasons {
  readonly kind: 'suspend' | 'delete'
  /** null: for good. */
  readonly endsAt: Date | null
}

/**
 * Takes a measure about a person with a decided case of its own: reasons, objection and end are those of every measure.
 * @returns the measure's id; null: the account is gone
 */
async function actOnPerson(write: Write, actorId: number, act: ActOfStaff): Promise<number | null> {
  const { personId, courseId, reason, rule, note, kind, endsAt } = act
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
      reason,
      state: 'upheld',
      decided_at: sql`now()`,
      decided_by: actorId,
      rule,
      note,
    })
    .returning(['id', 'question_id', 'answer_id', 'reply_id', 'person_id', 'course_id', 'reason'])
    .executeTakeFirstOrThrow()
  const measure = await write
    .insertInto('measures')
    .values({
      case_id: matter.id,
      kind,
      person_id: personId,
      course_id: courseId,
      is_everywhere: courseId === null,
      ends_at: endsAt,
      made_by: actorId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await stateReasons(write, matter)
  return measure.id
}

const ENDINGS = 'measure'

/** Interval of looking for cases without a handler: unlike what is due, they have no index of their own. */
const LOOK_EVERY_MS = 60_000

/** The jobs that end measures whose time is over. Their plan also passes on to the admins what waits in courses without a handler. */
export function measureEndingKind(db: Database): Kind {
  let lookedAt = Number.NEGATIVE_INFINITY
  return {
    name: ENDINGS,
    concurrency: 1,
    batch: 1,
    timeout: 30_000,
    plan: async () => {
      await enqueueDue(db, ENDINGS, endedByTime)
      if (performance.now() - lookedAt < LOOK_EVERY_MS) return
      if ((await passOnStrandedCases(db)) < MAX_PASSED_ON) lookedAt = performance.now()
    },
    run: async ([job]) => {
      const measureId = Number(job?.key)
      await db.transaction().execute(async (write) => {
        const measure = await write
          .selectFrom('measures')
          .select('case_id')
          .where('id', '=', measureId)
          .executeTakeFirst()
        if (measure === undefined || !(await lockCase(write, measure.case_id))) return
        const ended = await endMeasure(write, { measureId, how: 'over', actorId: null, note: '' })
        if (ended !== null && ended.personId !== null)
          await notifyOfCase(write, ended.caseId, 'measure', [ended.personId])
      })
    },
  }
}
