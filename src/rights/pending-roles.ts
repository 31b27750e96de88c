import { sql } from 'kysely'
import type { Database, Write } from '../database/schema.ts'
import { sweep } from '../database/sweep.ts'
import { term } from '../database/terms.ts'

/**
 * Gives a person the roles that wait for their address, in the transaction that confirms it. A higher role that they have
 * already stays. The person is locked.
 */
export async function takePendingRoles(write: Write, personId: number, email: string): Promise<void> {
  await sql`
    with pending as (delete from pending_roles where email = ${email} returning course_id, role)
    insert into course_members as member (course_id, person_id, role)
    select course_id, ${personId}, role from pending order by course_id
    on conflict (course_id, person_id) do update set role = excluded.role
    where member.role = 'learner' or excluded.role = 'instructor'`.execute(write)
  // The mails that told them of it are about an account from now on: they are in its download, and go with it.
  await sql`update mails set person_id = ${personId} where recipient = ${email} and person_id is null and is_bulk`.execute(
    write,
  )
}

/** Deletes roles whose addresses nobody confirmed: they are strangers' until then. */
export function sweepPendingRoles(db: Database): Promise<number> {
  return sweep(db, 'pending_roles', sql`given_at < now() - ${term('pendingRoles')}`)
}
