import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { tellHandlers } from './tell-staff.ts'

/** Passes an open case on to the admins, or back to its course. @returns false: it is there already, or decided */
export async function handOver(
  write: Write,
  actorId: number,
  caseId: number,
  { isToAdmins, note }: { readonly isToAdmins: boolean; readonly note: string },
): Promise<boolean> {
  const handed = await write
    .updateTable('cases')
    .set({ is_for_admins: isToAdmins, claimed_by: null, claimed_until: null, version: sql`version + 1` })
    .where('id', '=', caseId)
    .where('state', '=', 'open')
    .where('is_for_admins', '=', !isToAdmins)
    .where('course_id', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  if (handed === undefined) return false
  await write
    .insertInto('case_handovers')
    .values({ case_id: caseId, is_to_admins: isToAdmins, note, handed_by: actorId })
    .execute()
  await tellHandlers(write, [caseId], 'case', actorId)
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
