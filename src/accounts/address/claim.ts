import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { takePendingRoles } from '../../rights/pending-roles.ts'
import type { Access } from '../identity/access.ts'
import { deleteOtherWays } from '../identity/factors.ts'
import type { LockedPerson } from '../identity/lock.ts'
import { endMailLinks } from '../identity/mail-links.ts'
import { endWaysIn } from '../sessions/endings.ts'

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
export async function claimAccount(
  write: Write,
  person: LockedPerson,
  email: string,
): Promise<Access | null> {
  if (!(await confirmAddress(write, person.id, email))) return null
  await deleteOtherWays(write, person.id)
  await endMailLinks(write, person.id, ['confirm-email', 'undo-email-change', 'undo-second-factor'])
  await write.updateTable('people').set({ password_hash: null }).where('id', '=', person.id).execute()
  return endWaysIn(write, person.id)
}
