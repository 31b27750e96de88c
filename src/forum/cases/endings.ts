import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import type { Kind } from '../../jobs/kind.ts'
import { enqueueDue } from '../../jobs/table.ts'
import { OPERATOR, personOf } from '../../kernel/actor.ts'
import { choice, line, text } from '../../kernel/fields.ts'
import { type Doing, forum, operation } from '../../kernel/operation.ts'
import { notFound, Problem, refusal } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { couldHandle, isHandledByPerson, joinHandler } from '../handling/handlers.ts'
import { objectUntil, REMOVAL_DAYS } from '../handling/in-force.ts'
import { handOver, MAX_PASSED_ON, passOnStrandedCases } from './claims.ts'
import { CaseChanged } from './decision.ts'
import { lockCase, measureSubject, mustHandle, noted, type SubjectMeasure } from './find.ts'
import { letterKey, tellAccused } from './letters.ts'
import { endMeasure } from './measures.ts'
import { note } from './reasons.ts'
import { notifyHandlers, notifyOfCase } from './told.ts'

export const measureEnd = operation({
  name: 'lift-measure',
  right: 'moderate',
  find: measureSubject,
  once: true,
  input: { note: note() },
  rules: [mustHandle, maySuspendThere, mustBeRestorable],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    const { id, measureId, kind } = subject
    if (!(await liftMeasure(write, personOf(actor).id, measureId, input.note))) throw new CaseChanged()
    log('moderated', { act: `lift-${kind}`, ...noted(subject), measureId })
    return { id }
  },
})

/** Measures for every course are for admins. */
function maySuspendThere({ actor, subject }: Doing<unknown, SubjectMeasure>): void {
  if (subject.isEverywhere && actor !== OPERATOR && !may(actor, 'moderate-forum')) throw notFound()
}

/** Restores all posts of an account only for a while. @throws Refused */
function mustBeRestorable({ subject }: Doing<unknown, SubjectMeasure>): void {
  if (subject.isPastRestoring) throw refusal('note', 'removal.flash.late', { days: REMOVAL_DAYS })
}

/** Lifts a measure and tells the person. @returns false: it had ended before */
export async function liftMeasure(write: Write, actorId: number, measureId: number, said: string) {
  const ended = await endMeasure(write, measureId, { how: 'lifted', actorId, note: said })
  if (ended === null) return false
  await tellAccused(write, ended, 'measure', letterKey('ended', measureId))
  return true
}

/** Objects to a measure about oneself, suspended or not, for six months. */
export const objection = operation({
  name: 'object',
  right: 'have-account',
  find: forum,
  isForSuspended: true,
  input: {
    measure: line({ min: 1, max: 15 }),
    note: text({ min: 1, max: 5000, short: 'standing.object.empty' }),
  },
  async run({ write, actor, input }) {
    const measureId = Number(input.measure)
    const { id } = personOf(actor)
    const own = await write
      .selectFrom('measures')
      .select(sql<boolean>`now() <= ${objectUntil(sql`starts_at`)}`.as('isInTime'))
      .where('id', '=', measureId)
      .where('person_id', '=', id)
      .executeTakeFirst()
    if (own === undefined) throw notFound()
    if (!own.isInTime) throw refusal('note', 'standing.object.late')
    return { measureId, isDone: await object(write, id, measureId, input.note) }
  },
})

/** Objects to a measure, once. @returns false: it is about somebody else, or they objected before */
export async function object(write: Write, personId: number, measureId: number, said: string) {
  const { rows } = await sql<{ caseId: number }>`
    with added as (
      insert into objections (measure_id, note)
      select id, ${said} from measures where id = ${measureId} and person_id = ${personId}
      on conflict do nothing returning measure_id)
    select case_id as "caseId" from measures join added on added.measure_id = measures.id`.execute(write)
  const [added] = rows
  if (added === undefined) return false
  await notifyHandlers(write, [added.caseId], 'objection', personId)
  return true
}

export const objectionAnswer = operation({
  name: 'answer-objection',
  right: 'moderate',
  find: measureSubject,
  once: true,
  input: { value: choice(['keep', 'lift']), note: note() },
  rules: [mustHandle, maySuspendThere, mustBeAnother],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    const { id, measureId } = subject
    const answer = { measureId, outcome: input.value, note: input.note }
    if (!(await answerObjection(write, personOf(actor).id, answer))) throw new CaseChanged()
    log('moderated', { act: `objection-${input.value}`, ...noted(subject), measureId })
    return { id }
  },
})

/** Keeps the person who took a measure from judging the objection to it where someone else can. */
async function mustBeAnother({ write, actor, subject }: Doing<unknown, SubjectMeasure>): Promise<void> {
  if (personOf(actor).id === subject.madeBy && (await hasOtherHandler(write, subject.id, subject.madeBy)))
    throw new Problem('ownDecision')
}

/** Whether somebody other than who decided a case, or took its measure, may answer the objection to that: then they must. */
export async function hasOtherHandler(db: Database | Write, caseId: number, madeBy: number | null) {
  const { rows } = await sql`
    select from cases as matter join people as person on person.id is distinct from ${madeBy}::bigint and ${couldHandle}
    ${joinHandler}
    where matter.id = ${caseId} and ${isHandledByPerson} limit 1`.execute(db)
  return rows.length > 0
}

/** Answers an objection, and lifts the measure where it is right. @returns false: it was answered before, or there is none */
export async function answerObjection(
  write: Write,
  actorId: number,
  { measureId, outcome, note: said }: { measureId: number; outcome: 'keep' | 'lift'; note: string },
): Promise<boolean> {
  const answered = await write
    .updateTable('objections')
    .from('measures')
    .set({ outcome, answer: said, answered_at: sql`now()`, answered_by: actorId })
    .where('measure_id', '=', measureId)
    .whereRef('measures.id', '=', 'measure_id')
    .where('answered_at', 'is', null)
    .returning(['case_id as caseId', 'person_id as personId'])
    .executeTakeFirst()
  if (answered === undefined) return false
  if (outcome === 'lift') await endMeasure(write, measureId, { how: 'objection', actorId, note: '' })
  await tellAccused(write, answered, 'objected', letterKey('answer', measureId))
  return true
}

/**
 * Leaves an objection that waits to the admins: its page offers that where no one else in the course could
 * answer.
 */
export const objectionHandover = operation({
  name: 'hand-over-objection',
  right: 'moderate',
  find: measureSubject,
  once: true,
  input: {},
  rules: [mustHandle],
  events: ['moderated'],
  async run({ write, actor, subject, note: log }) {
    const { id, measureId } = subject
    const waiting = await write
      .selectFrom('objections')
      .select('measure_id')
      .where('measure_id', '=', measureId)
      .where('answered_at', 'is', null)
      .executeTakeFirst()
    const handover = { isToAdmins: true, note: '', of: 'objection' } as const
    if (waiting === undefined || !(await handOver(write, personOf(actor).id, id, handover)))
      throw new CaseChanged()
    log('moderated', { act: 'to-admins', ...noted(subject), measureId })
    return { id, course: subject.course_slug }
  },
})

/** Measures whose time is over, as a job finds them. */
const endedByTime = sql`
  select id as key, ends_at as at from measures where ends_at <= now() and ended_at is null`

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
        if (measure === undefined) return
        await lockCase(write, measure.case_id)
        const ended = await endMeasure(write, measureId, { how: 'over', actorId: null, note: '' })
        if (ended !== null && ended.personId !== null && ended.reason !== 'spam')
          await notifyOfCase(write, ended.caseId, 'measure', [ended.personId])
      })
    },
  }
}
