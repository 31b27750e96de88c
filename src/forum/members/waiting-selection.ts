import type { Role, Write } from '../../database/schema.ts'
import { LastInstructor } from '../courses/roles.ts'
import { addMembers, lineOf } from './add-members.ts'
import { type Invitation, mailInvited } from './invitation-mail.ts'
import { dropAsked, dropWaitingRoles, lockAccounts, rolesThatWait } from './role-rows.ts'

/**
 * Gives roles that wait for addresses another one, all or none. Addresses for which none waits any more are left out.
 * @throws LastInstructor
 * @returns how many changed
 */
export async function changeWaitingRoles(
  write: Write,
  courseId: number,
  emails: readonly string[],
  role: Role,
): Promise<number> {
  const { pending } = await lockWaiting(write, courseId, emails)
  const lines = [...pending.keys()].map((email) => lineOf({ email, role }))
  const isMeant = { raises: true, lowers: true }
  const { bad, given, waiting, unchanged } = await addMembers(write, courseId, lines, null, isMeant)
  if (bad.length > 0) throw new LastInstructor()
  return given + waiting - unchanged
}

/** The roles of these addresses wait no more. @returns for how many they did */
export async function dropWaitingOf(
  write: Write,
  courseId: number,
  emails: readonly string[],
): Promise<number> {
  const { pending } = await lockWaiting(write, courseId, emails)
  await dropAsked(write, courseId, [...pending.keys()])
  return dropWaitingRoles(write, courseId, [...pending.keys()])
}

/**
 * Invites the owners of addresses for which a role waits, and that have no account.
 * @returns of how many, and how many are told: the others have an account, or were told lately (web/limits/table.ts)
 */
export async function inviteWaiting(
  write: Write,
  courseId: number,
  emails: readonly string[],
  invitation: Invitation,
): Promise<{ readonly asked: number; readonly mailed: number }> {
  const { pending, accounts } = await lockWaiting(write, courseId, emails)
  const strangers = [...pending.values()].filter(({ email }) => !accounts.has(email))
  return { asked: pending.size, mailed: await mailInvited(write, invitation, strangers) }
}

/** In the order in which everything locks them: accounts, roles that wait. */
async function lockWaiting(write: Write, courseId: number, emails: readonly string[]) {
  const accounts = await lockAccounts(write, courseId, emails)
  const pending = await rolesThatWait(write, courseId, emails)
  return { accounts, pending }
}
