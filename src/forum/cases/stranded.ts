import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { hasHandlerBesideMaker, hasHandlerInCourse } from '../handling/handlers.ts'
import { tellHandlers } from './tell-staff.ts'

/** Cases that one look passes on; the next takes more. */
export const MAX_PASSED_ON = 100

/** Days that an objection waits for the one who decided where nobody else of the course could answer it. */
const LEFT_ALONE_DAYS = 3

/** Whether an objection to a decision of case `matter` waits for that long, and in the course for the one who decided alone. */
const isLeftAlone = sql`exists (
  select from measures as decided join objections on objections.measure_id = decided.id
  where decided.case_id = matter.id and objections.answered_at is null and not ${hasHandlerBesideMaker}
    and objections.made_at < now() - ${sql.lit(LEFT_ALONE_DAYS)} * interval '1 day')`

/**
 * Passes on to the admins what waits in a course where no one can handle it any more, an open case or an objection, or where only the one
 * whose decision an objection is about can, and notifies them as if it had been opened now: whoever it is about may have got a role, or the last of the staff left, in whatever way. Cases of a deleted
 * course wait for its restoration. Several processes pass on different cases. Uses indexes cases_waiting and objections_waiting.
 * @returns how many
 */
export async function passOnStrandedCases(db: Database): Promise<number> {
  return db.transaction().execute(async (write) => {
    const { rows } = await sql<{ id: number; isOpen: boolean }>`
      with waiting as (
        select id from cases where state = 'open' and not is_for_admins
        union
        select measures.case_id from objections join measures on measures.id = objections.measure_id
        where objections.answered_at is null),
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
    await tellHandlers(write, idsOf(true), 'case', null)
    await tellHandlers(write, idsOf(false), 'objection', null)
    return rows.length
  })
}
