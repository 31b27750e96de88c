import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { tellHandlers } from './tell-staff.ts'

interface Handover {
  readonly isToAdmins: boolean
  readonly note: string
  /** What waits: an open case, or an objection to a decision of it. */
  readonly of: 'case' | 'objection'
}

/** Passes a case on to the admins, or back to its course. @returns false: it is there already, or nothing of it waits */
export async function handOver(
  write: Write,
  actorId: number,
  caseId: number,
  { isToAdmins, note, of }: Handover,
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
    .values({ case_id: caseId, is_to_admins: isToAdmins, note, handed_by: actorId })
    .execute()
  await tellHandlers(write, [caseId], of, actorId)
  return true
}

/** Whether a case was ever passed on. */
export async function wasHandedOver(write: Write, caseId: number): Promise<boolean> {
  const handover = await write
    .selectFrom('case_handovers')
    .select('id')
    .where('case_id', '=', caseId)
    .limit(1)
    .executeTakeFirst()
  return handover !== undefined
}
