import type { Role, Write } from '../../database/schema.ts'
import type { Message } from '../../messages/catalogue.ts'
import { lockInstructors, RANK } from '../courses/roles.ts'
import { type Invitation, mailInvited } from './invitation-mail.ts'
import type { BadLine, MemberLine } from './member-lines.ts'
import { giveRoles, keepWaiting, lockAccounts, rolesThatWait } from './role-rows.ts'

/** What became of lines: of those who are in the course, whose role waits for their address, and who changed nothing. */
export interface Added {
  readonly given: number
  readonly waiting: number
  /** How many of these two have which role since then. */
  readonly roles: { readonly given: RoleCounts; readonly waiting: RoleCounts }
  readonly unchanged: number
  /** Owners of addresses without an account who are told by mail. */
  readonly mailed: number
  readonly bad: readonly BadLine[]
  /** Lines that would take rights from somebody who has them, or for whom they wait: not done unless that was meant. */
  readonly changes: readonly RoleChangeAsked[]
  /** Lines with a role above learner that adds rights: not done unless that was meant. */
  readonly raises: readonly (MemberLine & { readonly role: Role })[]
}

export type RoleCounts = Readonly<Record<Role, number>>

export interface RoleChangeAsked {
  readonly line: MemberLine
  readonly from: Role
  readonly to: Role
}

/** What is meant beside new learners: roles that add rights, and those that take some away. */
export interface Meant {
  readonly raises: boolean
  readonly lowers: boolean
}

/**
 * Gives roles to the owners of many addresses.
 * @param invitation tells who has no account yet; null: nobody
 * @param meant the others are not made, but told of in `raises` and `changes`
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
  const given: { id: number; email: string; role: Role; isNew: boolean }[] = []
  const waiting: { email: string; role: Role; name: string | null; isNew: boolean }[] = []
  const bad: BadLine[] = []
  const changes: RoleChangeAsked[] = []
  const raises: (MemberLine & { role: Role })[] = []
  for (const line of lines) {
    const account = accounts.get(line.email)
    const waits = waitingRoles.get(line.email)
    const former = waits?.role ?? account?.role ?? null
    const role = line.role ?? former ?? 'learner'
    const isLast = account !== undefined && instructors.has(account.id) && instructors.size === 1
    const change = RANK[role] - RANK[former ?? 'learner']
    if (change > 0 && !meant.raises) {
      raises.push({ ...line, role })
      continue
    }
    if (former !== null && change < 0 && !meant.lowers && !(isLast && role !== 'instructor')) {
      changes.push({ line, from: former, to: role })
      continue
    }
    const isHeld = account?.role !== undefined && account.role !== null && RANK[role] <= RANK[account.role]
    if (account === undefined || !(account.isConfirmed || isHeld)) {
      const name = line.name ?? waits?.name ?? null
      waiting.push({ email: line.email, role, name, isNew: role !== waits?.role })
    } else if (instructors.has(account.id) && role !== 'instructor' && instructors.size === 1) {
      bad.push({ ...line, reason: { key: 'members.line.lastInstructor' } })
    } else {
      if (role !== 'instructor') instructors.delete(account.id)
      given.push({ id: account.id, email: line.email, role, isNew: role !== account.role })
    }
  }
  await giveRoles(write, courseId, given)
  await keepWaiting(write, courseId, waiting)
  const strangers = waiting.filter(({ email }) => !accounts.has(email))
  return {
    given: given.length,
    waiting: waiting.length,
    roles: { given: countRoles(given), waiting: countRoles(waiting) },
    unchanged: [...given, ...waiting].filter(({ isNew }) => !isNew).length,
    mailed: invitation === null ? 0 : await mailInvited(write, invitation, strangers),
    bad,
    changes,
    raises,
  }
}

export function countsOf({ roles }: Added): readonly [Message, ...Message[]] {
  const said = (['given', 'waiting'] as const).flatMap((kind): Message[] => {
    const { learner, assistant, instructor } = roles[kind]
    const others = learner + assistant
    const count = others + instructor
    if (count === 0) return []
    return [{ key: `members.report.${kind}`, values: { count, learner, assistant, others, instructor } }]
  })
  const [first = { key: 'members.report.nobody' }, ...more] = said
  return [first, ...more]
}

/** A line that nobody wrote, as of a form about one person. */
export function lineOf({ email, role }: { readonly email: string; readonly role: Role }): MemberLine {
  return { number: 1, text: email, head: null, email, role, name: null }
}

function countRoles(people: readonly { readonly role: Role; readonly isNew: boolean }[]): RoleCounts {
  const count = (role: Role) => people.filter((one) => one.isNew && one.role === role).length
  return { learner: count('learner'), assistant: count('assistant'), instructor: count('instructor') }
}
