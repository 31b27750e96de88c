import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { takePendingRoles } from '../../rights/pending-roles.ts'
import { deleteOtherWays } from '../identity/factors.ts'
import { DeadLink } from '../identity/mail-links.ts'
import { endWaysIn } from '../sessions/ways-in.ts'

/** An address belongs to somebody else, so that a link to it does nothing until they give it up. */
export class AddressTaken extends DeadLink {}

/**
 * Gives an account an address whose mailbox has been opened, and the roles that wait for that address. The person is locked.
 * @throws AddressTaken when somebody else has it, or gets it this very moment
 */
export async function takeAddress(write: Write, personId: number, email: string): Promise<void> {
  const taken = await write
    .updateTable('people')
    .set({ email, email_confirmed_at: sql`now()` })
    .where('id', '=', personId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('people as other')
            .select('other.id')
            .where('other.email', '=', email)
            .where('other.id', '!=', personId),
        ),
      ),
    )
    .executeTakeFirst()
    .catch((error: unknown) => {
      throw isTaken(error) ? new AddressTaken() : error
    })
  if (taken.numUpdatedRows === 0n) throw new AddressTaken()
  await takePendingRoles(write, personId, email)
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === 'people_email_key'
}

/**
 * Who has an address without having shown that the mailbox is theirs: not a person who was given a role, because an operator knows them.
 * @returns null when nobody does
 */
export async function squatterOf(write: Write, email: string): Promise<number | null> {
  const row = await write
    .selectFrom('people')
    .select('id')
    .where('email', '=', email)
    .where('email_confirmed_at', 'is', null)
    .where('is_admin', '=', false)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('course_members as member')
            .select('member.role')
            .whereRef('member.person_id', '=', 'people.id')
            .where('member.role', '!=', 'learner'),
        ),
      ),
    )
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Takes an address away from an account that only claimed it: somebody else has opened its mailbox. Nobody can sign in to the
 * account any more; what it wrote stays under its name, as others may have answered. The person is locked.
 */
export async function takeAddressAway(write: Write, personId: number): Promise<void> {
  await endWaysIn(write, personId)
  await deleteOtherWays(write, personId)
  await write.deleteFrom('mail_links').where('person_id', '=', personId).execute()
  await write
    .updateTable('people')
    .set({ email: null, password_hash: null })
    .where('id', '=', personId)
    .execute()
}
