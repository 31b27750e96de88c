import type { Role, Write } from '../../database/schema.ts'
import { lockInstructors, RANK } from '../courses/roles.ts'
import { type Invitation, mailInvited } from './invitation-mail.ts'
import type { BadLine, MemberLine } from './member-lines.ts'
import { giveRoles, keepWaiting, lockAccounts, rolesThatWait } from './role-rows.ts'

/** What became of lines: of those who are in the course, whose role waits for their address, and who changed nothing. */
export interface Added {
  readonly given: number
  readonly waiting: number
  readonly unchanged: number
  /** Owners of addresses without an account who are told by mail. */
  readonly mailed: number
  readonly bad: readonly BadLine[]
  /** Lines that would give somebody another role than they have, or that waits for them: not done unless that was meant. */
  readonly changes: readonly RoleChangeAsked[]
}

export interface RoleChangeAsked {
  readonly line: MemberLine
  readonly from: Role
  readonly to: Role
}

/** Which changes of roles that people have are meant: all of them, none, or those that add rights. */
export type Meant = 'all' | 'none' | 'raises'

/**
 * Gives roles to the owners of many addresses.
 * @param invitation tells who has no account yet; null: nobody
 * @param meant the others are not made, but told of in `changes`
 */
export async function addMembers(
  write: Write,
  courseId: number,
  lines: readonly MemberLine[],
  invitation: Invitation | null,
  meant: Meant,
): Promise<Added> {
  const emails = lines.map(({ email }) => email)
  const accounts = await lockAccounts(write, courseId, emails)
  const waitingRoles = await rolesThatWait(write, courseId, emails)
  const instructors = new Set(await lockInstructors(write, courseId))
  const given: { id: number; email: string; role: Role }[] = []
  const waiting: { email: string; role: Role }[] = []
  const bad: BadLine[] = []
  const changes: RoleChangeAsked[] = []
  for (const line of lines) {
    const account = accounts.get(line.email)
    const role = line.role ?? waitingRoles.get(line.email) ?? account?.role ?? 'learner'
    const held = account?.role ?? null
    const former = waitingRoles.get(line.email) ?? held
    const isLast = account !== undefined && instructors.has(account.id) && instructors.size === 1
    const isMeant = former === null || meant === 'all' || (meant === 'raises' && RANK[role] >= RANK[former])
    if (former !== null && former !== role && !isMeant && !(isLast && role !== 'instructor')) {
      changes.push({ line, from: former, to: role })
      continue
    }
    const isHeld = account?.role !== undefined && account.role !== null && RANK[role] <= RANK[account.role]
    if (account === undefined || !(account.isConfirmed || isHeld)) {
      waiting.push({ email: line.email, role })
    } else if (instructors.has(account.id) && role !== 'instructor' && instructors.size === 1) {
      bad.push({ number: line.number, text: line.text, reason: { key: 'members.line.lastInstructor' } })
    } else {
      if (role !== 'instructor') instructors.delete(account.id)
      given.push({ id: account.id, email: line.email, role })
    }
  }
  const changed = (await giveRoles(write, courseId, given)) + (await keepWaiting(write, courseId, waiting))
  const strangers = waiting.filter(({ email }) => !accounts.has(email))
  return {
    given: given.length,
    waiting: waiting.length,
    unchanged: given.length + waiting.length - changed,
    mailed: invitation === null ? 0 : await mailInvited(write, invitation, strangers),
    bad,
    changes,
  }
}
