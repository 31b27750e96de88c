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

/**
 * The same in a session: one that began at a provider whose second factor an admin accepts has shown one. Without a session, as in mail
 * and by a token, only the forum's own counts.
 * @param session the hash of its token; null: none
 */
export function owesSecondFactorIn(session: RawBuilder<Buffer | null>): RawBuilder<boolean> {
  return sql<boolean>`(${owesSecondFactor} and not exists (
    select from provider_sessions as begun
      join linked_accounts as linked on linked.id = begun.linked_account_id and linked.person_id = person.id
      join identity_providers as provider on provider.id = linked.provider_id
    where begun.token_hash = ${session} and begun.has_factor and provider.accepts_factor and provider.is_on))`
}
