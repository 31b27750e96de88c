import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { OPERATOR, personOf } from '../../kernel/actor.ts'
import { choice } from '../../kernel/fields.ts'
import { type Doing, operation } from '../../kernel/operation.ts'
import { Problem, refusal } from '../../kernel/problem.ts'
import { hasHandlerBesideMaker, hasHandlerInCourse, mayHandle } from '../handling/handlers.ts'
import { caseOfObjection } from '../handling/in-force.ts'
import { CaseChanged } from './decision.ts'
import { caseSubject, mustHandle, noted, type SubjectCase } from './find.ts'
import { note } from './reasons.ts'
import { notifyHandlers } from './told.ts'

export const caseClaim = operation({
  name: 'claim-case',
  right: 'moderate',
  find: caseSubject,
  limit: 'voting',
  input: { value: choice(['1', '0']) },
  rules: [mustHandle],
  async run({ write, actor, subject: { id }, input }) {
    const { id: personId } = personOf(actor)
    const wants = input.value === '1'
    if (!wants) await releaseCase(write, id, personId)
    const isClaimed = wants && (await claimCase(write, id, personId))
    return { id, isClaimed, isRefused: wants && !isClaimed }
  },
})

/**
 * Says that one handles a case, for ten minutes, or renews that. A colleague's claim is left as it is while
 * it lasts; a decided case has none.
 * @returns whether one has it now
 */
export async function claimCase(write: Write, caseId: number, personId: number): Promise<boolean> {
  const claimed = await write
    .updateTable('cases')
    .set({ claimed_by: personId, claimed_until: sql`now() + interval '10 minutes'` })
    .where('id', '=', caseId)
    .where('state', '=', 'open')
    .where(sql<boolean>`(claimed_by is null or claimed_by = ${personId} or claimed_until <= now())`)
    .returning('id')
    .executeTakeFirst()
  return claimed !== undefined
}

export async function releaseCase(write: Write, caseId: number, personId: number): Promise<void> {
  await write
    .updateTable('cases')
    .set({ claimed_by: null, claimed_until: null })
    .where('id', '=', caseId)
    .where('claimed_by', '=', personId)
    .execute()
}

export const caseHandover = operation({
  name: 'hand-over-case',
  right: 'moderate',
  find: caseSubject,
  once: true,
  input: { to: choice(['admins', 'course']), staff_note: note() },
  rules: [mustStillHaveIt, mustHandle, mustReachStaff],
  events: ['moderated'],
  async run({ write, actor, subject, input, note: log }) {
    const isToAdmins = input.to === 'admins'
    const handover = { isToAdmins, note: input.staff_note, of: 'case' } as const
    if (!(await handOver(write, personOf(actor).id, subject.id, handover))) throw new CaseChanged()
    log('moderated', { act: `to-${input.to}`, ...noted(subject) })
    return { isToAdmins, id: subject.id }
  },
})

/** Staff of a course whose case someone passed on to the admins meanwhile are told so. @throws Problem 'handedOn' */
async function mustStillHaveIt({ write, actor, subject }: Doing<unknown, SubjectCase>): Promise<void> {
  if (actor === OPERATOR || !subject.is_for_admins || mayHandle(actor, subject)) return
  if (!mayHandle(actor, { ...subject, is_for_admins: false })) return
  const handovers = write.selectFrom('case_handovers').select('id').where('case_id', '=', subject.id).limit(1)
  if ((await handovers.executeTakeFirst()) !== undefined) throw new Problem('handedOn')
}

/** A case goes back to its course only where someone there can handle it. @throws Refused */
function mustReachStaff({ subject, input }: Doing<{ readonly to: 'admins' | 'course' }, SubjectCase>): void {
  if (input.to === 'course' && subject.course_id !== null && !subject.has_handler_in_course)
    throw refusal('to', 'cases.handover.noStaff')
}

/**
 * Passes what waits of a case on to the admins, or back to its course: itself, or an objection to its decision.
 * @returns false: it is there already, or nothing of it waits
 */
export async function handOver(
  write: Write,
  actorId: number,
  caseId: number,
  { isToAdmins, note: said, of }: { isToAdmins: boolean; note: string; of: 'case' | 'objection' },
): Promise<boolean> {
  const handed = await write
    .updateTable('cases')
    .set({ is_for_admins: isToAdmins, claimed_by: null, claimed_until: null, version: sql`version + 1` })
    .where('id', '=', caseId)
    .where('state', of === 'case' ? '=' : '<>', 'open')
    .where('is_for_admins', '=', !isToAdmins)
    .where('course_id', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  if (handed === undefined) return false
  await write
    .insertInto('case_handovers')
    .values({ case_id: caseId, is_to_admins: isToAdmins, note: said, handed_by: actorId })
    .execute()
  await notifyHandlers(write, [caseId], of, actorId)
  return true
}

/** Cases that one look passes on; the next takes more. */
export const MAX_PASSED_ON = 100

/** Days that an objection waits for the one who decided where nobody else of the course could answer it. */
const LEFT_ALONE_DAYS = 3

/** Whether an objection to a decision of case `matter` waits for that long, and in the course for the one who decided alone. */
const isLeftAlone = sql`exists (
  select from objections cross join lateral (
    select made_by from measures where id = objections.measure_id and case_id = matter.id
    union all select matter.decided_by from reports where id = objections.report_id and case_id = matter.id) as decided
  where objections.answered_at is null and not ${hasHandlerBesideMaker}
    and objections.made_at < now() - ${sql.lit(LEFT_ALONE_DAYS)} * interval '1 day')`

/**
 * Passes on to the admins what waits in a course where no one can handle it any more, an open case or an objection, or where only the one
 * whose decision an objection is about can, and notifies them as if it had been opened now: whoever it is about may have got a role, or
 * the last of the staff left. Cases of a deleted course wait for its restoration. Several processes pass on different cases. Uses indexes
 * cases_waiting and objections_waiting.
 * @returns how many
 */
export async function passOnStrandedCases(db: Database): Promise<number> {
  return db.transaction().execute(async (write) => {
    const { rows } = await sql<{ id: number; isOpen: boolean }>`
      with waiting as (
        select id from cases where state = 'open' and not is_for_admins
        union
        select ${caseOfObjection} from objections where objections.answered_at is null),
      stranded as (
        select matter.id from cases as matter join waiting on waiting.id = matter.id
        where not matter.is_for_admins and (not ${hasHandlerInCourse} or ${isLeftAlone})
          and not exists (select from course_deletions where course_deletions.course_id = matter.course_id)
        limit ${sql.lit(MAX_PASSED_ON)} for no key update of matter skip locked),
      noted as (insert into case_handovers (case_id, is_to_admins) select id, true from stranded)
      update cases set is_for_admins = true, claimed_by = null, claimed_until = null
      from stranded where cases.id = stranded.id
      returning cases.id, cases.state = 'open' as "isOpen"`.execute(write)
    const idsOf = (isOpen: boolean) => rows.filter((row) => row.isOpen === isOpen).map(({ id }) => id)
    await notifyHandlers(write, idsOf(true), 'case', null)
    await notifyHandlers(write, idsOf(false), 'objection', null)
    return rows.length
  })
}
