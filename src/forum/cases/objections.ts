import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { enqueue } from '../../jobs/table.ts'
import { personOf } from '../../kernel/actor.ts'
import { line, text } from '../../kernel/fields.ts'
import { forum, operation } from '../../kernel/operation.ts'
import { notFound } from '../../kernel/problem.ts'
import { canSignIn } from '../../kernel/rights/person.ts'
import { isHandledByPerson, joinHandler } from '../handling/handlers.ts'
import { handOver } from './claims.ts'
import { LETTERS_OF_CASES, letterKey } from './letters.ts'
import { endMeasure } from './measures.ts'
import { notifyHandlers, notifyOfCase } from './told.ts'

/** Objects to a measure, once. @returns false: it is about somebody else, or they objected before */
export async function object(write: Write, personId: number, measureId: number, note: string) {
  const { rows } = await sql<{ caseId: number }>`
    with added as (
      insert into objections (measure_id, note)
      select id, ${note} from measures where id = ${measureId} and person_id = ${personId}
      on conflict do nothing returning measure_id)
    select case_id as "caseId" from measures join added on added.measure_id = measures.id`.execute(write)
  const [added] = rows
  if (added === undefined) return false
  await notifyHandlers(write, [added.caseId], 'objection', personId)
  return true
}

/** Whether somebody other than who took a measure may answer the objection to it: then they must. */
export async function hasOtherHandler(db: Database | Write, measureId: number): Promise<boolean> {
  const { rows } = await sql`
    select from measures join cases as matter on matter.id = measures.case_id
    join people as person on person.id is distinct from measures.made_by and ${canSignIn()}
      and case when matter.is_for_admins then person.is_admin
        else person.id in (select staff.person_id from course_members as staff
          where staff.course_id = matter.course_id and staff.role <> 'learner') end
    ${joinHandler}
    where measures.id = ${measureId} and ${isHandledByPerson} limit 1`.execute(db)
  return rows.length > 0
}

/** Answers an objection, and lifts the measure where it is right. @returns false: it was answered before, or there is none */
export async function answerObjection(
  write: Write,
  actorId: number,
  { measureId, outcome, note }: { measureId: number; outcome: 'keep' | 'lift'; note: string },
): Promise<boolean> {
  const answered = await write
    .updateTable('objections')
    .set({ outcome, answer: note, answered_at: sql`now()`, answered_by: actorId })
    .where('measure_id', '=', measureId)
    .where('answered_at', 'is', null)
    .returning('measure_id')
    .executeTakeFirst()
  if (answered === undefined) return false
  if (outcome === 'lift') await endMeasure(write, { measureId, how: 'objection', actorId, note: '' })
  const measure = await write
    .selectFrom('measures')
    .select(['case_id', 'person_id'])
    .where('id', '=', measureId)
    .executeTakeFirstOrThrow()
  if (measure.person_id === null) return true
  await notifyOfCase(write, measure.case_id, 'objected', [measure.person_id])
  await enqueue(write, LETTERS_OF_CASES, letterKey('answer', measureId))
  return true
}

/** Passes an objection that waits on to the admins, with its case. @returns false: it doesn't wait, or waits for them already */
export async function handOverObjection(
  write: Write,
  actorId: number,
  { id, measureId }: { id: number; measureId: number },
): Promise<boolean> {
  const waiting = await write
    .selectFrom('objections')
    .select('measure_id')
    .where('measure_id', '=', measureId)
    .where('answered_at', 'is', null)
    .executeTakeFirst()
  const handover = { isToAdmins: true, note: '', of: 'objection' } as const
  return waiting !== undefined && handOver(write, actorId, id, handover)
}

/** Objects to a measure about oneself, suspended or not. */
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
      .select('id')
      .where('id', '=', measureId)
      .where('person_id', '=', id)
      .executeTakeFirst()
    if (own === undefined) throw notFound()
    return { measureId, isDone: await object(write, id, measureId, input.note) }
  },
})
