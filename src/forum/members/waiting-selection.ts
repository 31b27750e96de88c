import type { Database, Role, Write } from '../../database/schema.ts'
import { LastInstructor } from '../courses/roles.ts'
import { addBatch } from './add-members.ts'
import { type Invitation, mailInvited } from './invitation-mail.ts'
import { dropWaitingRoles, lockAccounts, rolesThatWait } from './role-rows.ts'
import { lockInstructorsFor, type Selecting } from './selection.ts'

/**
 * Gives roles that wait for addresses another one, all or none. Addresses for which none waits any more are left out.
 * @throws LastInstructor, RightLost
 * @returns how many changed
 */
export async function changeWaitingRoles(
  db: Database,
  selecting: Selecting,
  emails: readonly string[],
  role: Role,
): Promise<number> {
  return db.transaction().execute(async (write) => {
    const { pending } = await lockWaiting(write, selecting, emails)
    const lines = [...pending.keys()].map((email, at) => ({ number: at + 1, text: email, email, role }))
    const { bad, given, waiting, unchanged } = await addBatch(write, selecting.courseId, lines, null, 'all')
    if (bad.length > 0) throw new LastInstructor()
    return given + waiting - unchanged
  })
}

/** The roles of these addresses wait no more. @throws RightLost @returns for how many they did */
export async function dropWaitingOf(
  db: Database,
  selecting: Selecting,
  emails: readonly string[],
): Promise<number> {
  return db.transaction().execute(async (write) => {
    const { pending } = await lockWaiting(write, selecting, emails)
    return dropWaitingRoles(write, selecting.courseId, [...pending.keys()])
  })
}

/**
 * Invites the owners of addresses for which a role waits, and that have no account.
 * @throws RightLost
 * @returns of how many, and how many are told: the others have an account, or were told lately (web/limits/table.ts)
 */
export async function inviteWaiting(
  db: Database,
  selecting: Selecting,
  emails: readonly string[],
  invitation: Invitation,
): Promise<{ readonly asked: number; readonly mailed: number }> {
  return db.transaction().execute(async (write) => {
    const { pending, accounts } = await lockWaiting(write, selecting, emails)
    const strangers = [...pending].flatMap(([email, role]) => (accounts.has(email) ? [] : [{ email, role }]))
    return { asked: pending.size, mailed: await mailInvited(write, invitation, strangers) }
  })
}

/** In the order in which everything locks them: accounts, roles that wait, instructors. */
async function lockWaiting(write: Write, { courseId, actorId }: Selecting, emails: readonly string[]) {
  const accounts = await lockAccounts(write, courseId, emails)
  const pending = await rolesThatWait(write, courseId, emails)
  await lockInstructorsFor(write, courseId, actorId)
  return { accounts, pending }
}
