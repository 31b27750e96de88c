import { sql } from 'kysely'
import type { MailLinkPurpose, Write } from '../../database/schema.ts'
import { takePendingRoles } from '../../rights/pending-roles.ts'
import { deleteOtherWays } from '../identity/factors.ts'
import { lockPerson } from '../identity/lock.ts'
import { DeadLink, findMailLink, type UsedMailLink, useMailLink } from '../identity/mail-links.ts'
import { endWaysIn } from '../sessions/endings.ts'

/** An address belongs to somebody else, so that a link to it does nothing until they give it up. */
export class AddressTaken extends DeadLink {}

/** A used link that gives an account its address, and who has that address without having confirmed it: both are locked. */
export interface LinkToAddress extends UsedMailLink {
  readonly squatterId: number | null
}

/** Uses a link up that gives an account the address it was sent to. @throws DeadLink */
export async function useLinkToAddress(
  write: Write,
  purposes: readonly MailLinkPurpose[],
  token: string,
): Promise<LinkToAddress> {
  const { email = '' } = (await findMailLink(write, purposes, token)) ?? {}
  const squatterId = await squatterOf(write, email)
  const link = await useMailLink(write, purposes, token, squatterId === null ? [] : [squatterId])
  return { ...link, squatterId }
}

/**
 * Gives an account the address of a link, whose mailbox has been opened, and the roles that wait for that address. Who only claimed it
 * loses it.
 * @throws AddressTaken when somebody else has it, or gets it this very moment
 */
export async function takeAddress(
  write: Write,
  { personId, email, squatterId }: Pick<LinkToAddress, 'personId' | 'email' | 'squatterId'>,
): Promise<void> {
  // As it is now that nobody can change it.
  if (squatterId !== null && squatterId !== personId && (await squatterOf(write, email)) === squatterId)
    await takeAddressAway(write, squatterId)
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

/** Frees an address for an owner whom a trusted provider names. @returns whether an account that only claimed it has lost it */
export async function freeAddress(write: Write, email: string): Promise<boolean> {
  const squatterId = await squatterOf(write, email)
  if (squatterId === null) return false
  await lockPerson(write, squatterId)
  if ((await squatterOf(write, email)) !== squatterId) return false
  await takeAddressAway(write, squatterId)
  return true
}

/**
 * Takes an address away from an account that only claimed it: somebody else has shown that it is theirs. Nobody can sign in to the
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
