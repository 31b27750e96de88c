import { type RawBuilder, sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { owner, table } from '../../database/table.ts'
import { term } from '../../database/terms.ts'

/**
 * Addresses that came with imports, of people who are nobody's account. A merge by an admin ends theirs until it is undone; one by a claim
 * ends it for good.
 */
export const importedAddresses = table(
  'imported_addresses',
  { person_id: owner },
  {
    key: ['person_id'],
    own: { ends: true },
    expired: sql`given_at < now() - ${term('importedAddresses')}`,
  },
)

/**
 * Whether what the unclaimed person of alias `person` wrote is offered to the account of alias `account`, by the alias `given` of
 * imported_addresses. A course that is deleted, and may come back, offers nothing meanwhile.
 */
export const isOffered: RawBuilder<boolean> = sql<boolean>`(
  account.email = given.email and account.email_confirmed_at is not null and account.left_at is null
  and person.is_unclaimed and person.left_at is null
  and exists (select from imported_people as kept where kept.person_id = person.id
    and not exists (select from course_deletions as deletion where deletion.course_id = kept.course_id)))`

/** The people whose posts are offered to an account: those without an address, or with one that isn't confirmed, are offered none. */
export const offeredPeople: RawBuilder<unknown> = sql`people as account
  join imported_addresses as given on given.email = account.email
  join people as person on person.id = given.person_id and ${isOffered}`

/** Whether an import brought posts under the confirmed address of an account. Uses index imported_addresses_email. */
export async function hasOffers(db: Database, accountId: number): Promise<boolean> {
  const { rows } = await sql`select from ${offeredPeople} where account.id = ${accountId} limit 1`.execute(db)
  return rows.length > 0
}

/** Forgets the address of an unclaimed person: what they wrote is offered to no one any more. */
export async function forgetAddress(write: Write, personId: number): Promise<void> {
  await write.deleteFrom('imported_addresses').where('person_id', '=', personId).execute()
}
