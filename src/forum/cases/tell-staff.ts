import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { canSignIn } from '../../rights/can-sign-in.ts'
import { isHandledByPerson, joinHandler } from '../handling/handlers.ts'

/**
 * Tells those who may handle cases that they wait, or that an objection does: the staff of the course, or the admins where a case is
 * theirs. Admins aren't told of a course's own cases.
 * @param exceptId whose act it is; null: a visitor's
 */
export async function tellHandlers(
  write: Write,
  caseIds: readonly number[],
  reason: 'case' | 'objection',
  exceptId: number | null,
): Promise<void> {
  await sql`
    insert into notifications as notice (person_id, case_id, reason, since_at, happened_at)
    select person.id, matter.id, ${reason}, clock_timestamp(), clock_timestamp()
    from cases as matter
    join people as person on ${canSignIn()} and case
      when matter.is_for_admins then person.is_admin
      else person.id in (select staff.person_id from course_members as staff
        where staff.course_id = matter.course_id and staff.role <> 'learner') end
    ${joinHandler}
    where matter.id = any(${[...caseIds]}::bigint[]) and person.id is distinct from ${exceptId}::bigint and ${isHandledByPerson}
    order by person.id, matter.id for key share of person
    on conflict (person_id, case_id) do update set reason = excluded.reason, happened_at = excluded.happened_at,
      since_at = excluded.since_at, seen_at = null`.execute(write)
}

/** Tells people what became of a case that concerns them, each once; who cannot sign in isn't told. */
export async function tellOfCase(
  write: Write,
  caseId: number,
  reason: 'report' | 'measure' | 'objected',
  personIds: readonly number[],
): Promise<void> {
  await sql`
    insert into notifications as notice (person_id, case_id, reason, since_at, happened_at)
    select person.id, ${caseId}, ${reason}, clock_timestamp(), clock_timestamp()
    from people as person
    where person.id = any(${[...personIds]}::bigint[]) and ${canSignIn()}
    order by person.id for key share of person
    on conflict (person_id, case_id) do update set reason = excluded.reason, happened_at = excluded.happened_at,
      since_at = excluded.since_at, seen_at = null`.execute(write)
}
