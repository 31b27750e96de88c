import { type RawBuilder, sql } from 'kysely'

/**
 * Whether the person of alias `person` owes a second factor: staff of a forum that requires one of them, who have none. What they may
 * do without is in rights.ts.
 */
export const owesSecondFactor: RawBuilder<boolean> = sql<boolean>`(
  exists (select from site_settings where staff_need_second_factor)
  and (person.is_admin or exists (
    select from course_members as staff where staff.person_id = person.id and staff.role <> 'learner'))
  and not exists (select from second_factors as app where app.person_id = person.id and app.confirmed_at is not null)
  and not exists (select from passkeys as passkey where passkey.person_id = person.id))`
