import { sql } from 'kysely'
import type { MailLinkPurpose, Write } from '../../database/schema.ts'
import { operation } from '../../kernel/operation.ts'
import { takePendingRoles } from '../../kernel/rights/pending-roles.ts'
import { deleteOtherWays } from '../identity/factors.ts'
import { email } from '../identity/fields.ts'
import { writeTo } from '../identity/letters.ts'
import { type LockedPerson, lockPerson } from '../identity/lock.ts'
import { DeadLink, endMailLinks, findMailLink, useMailLink } from '../identity/mail-links.ts'
import { endWaysIn } from '../sessions/endings.ts'

/** An address belongs to somebody else, so that a link to it does nothing until they give it up. */
export class AddressTaken extends DeadLink {}

/**
 * Uses a link up that gives an account the address it was sent to. `squatterId`: who has that address without having confirmed it, also
 * locked.
 * @throws DeadLink
 */
export async function useLinkToAddress(write: Write, purposes: readonly MailLinkPurpose[], token: string) {
  const { email = '' } = (await findMailLink(write, purposes, token)) ?? {}
  const squatterId = await squatterOf(write, email)
  const link = await useMailLink(write, purposes, token, squatterId === null ? [] : [squatterId])
  return { ...link, squatterId }
}
export type LinkToAddress = Awaited<ReturnType<typeof useLinkToAddress>>

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
    .set({ email, email_confirmed_at: sql`now()`, is_unclaimed: false })
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

/**
 * Notes that the owner of an account's mailbox has the account, and gives them the roles that wait for the address. Everything
 * that confirms an address does it here. The person is locked.
 * @returns false when the account has another address by now
 */
export async function confirmAddress(write: Write, personId: number, email: string): Promise<boolean> {
  const confirmed = await write
    .updateTable('people')
    .set({ email_confirmed_at: sql`coalesce(email_confirmed_at, now())` })
    .where('id', '=', personId)
    .where('email', '=', email)
    .executeTakeFirst()
  if (confirmed.numUpdatedRows === 0n) return false
  await takePendingRoles(write, personId, email)
  return true
}

/**
 * Gives an account to the owner of its mailbox, who has not shown that they created it: somebody else may have signed up under
 * their address. So every way into it ends: password, sessions, links, passkeys, authenticator app. The person is locked.
 * @returns what the owner's next session begins with; null when the account has another address by now
 */
export async function claimAccount(write: Write, person: LockedPerson, email: string) {
  if (!(await confirmAddress(write, person.id, email))) return null
  await deleteOtherWays(write, person.id)
  await endMailLinks(write, person.id, ['confirm-email', 'undo-email-change', 'undo-second-factor'])
  await write.updateTable('people').set({ password_hash: null }).where('id', '=', person.id).execute()
  return endWaysIn(write, person.id)
}

/** Tells the owner of an address that somebody gave it for another account: once a day at the most, however many do. */
export const addressOwnerTelling = operation({
  name: 'tell-owner-of-address',
  right: 'visit',
  isForSuspended: true,
  find: async () => null,
  limit: 'mail',
  input: { email: email() },
  async run({ write, input: { email }, ...where }) {
    // Two at once wait for each other, so that the second sees the first one's letter.
    const owner = await write
      .selectFrom('people')
      .select(['id', 'language'])
      .select(sql<boolean>`email_confirmed_at is not null`.as('isConfirmed'))
      .where('email', '=', email)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (owner === undefined) return
    const told = await write
      .selectFrom('mails')
      .select('id')
      .where('person_id', '=', owner.id)
      .where('kind', '=', 'addressTaken')
      .where('written_at', '>', sql<Date>`now() - interval '1 day'`)
      .executeTakeFirst()
    if (told !== undefined) return
    await writeTo(write, { ...owner, email }, 'addressTaken', where)
  },
})
