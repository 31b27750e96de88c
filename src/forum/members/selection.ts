import { lockPeopleForRoles } from '../../accounts/identity/lock.ts'
import type { Role, Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { optional, plain } from '../../kernel/fields.ts'
import { type Doing, operation } from '../../kernel/operation.ts'
import { notFound, refusal } from '../../kernel/problem.ts'
import { type CourseSubject, lockedCourse } from '../courses/find-course.ts'
import { LastInstructor, lockInstructors, RANK } from '../courses/roles.ts'
import {
  addMembers,
  dropAsked,
  dropWaitingRoles,
  giveRoles,
  keepWaiting,
  lineOf,
  lockAccounts,
  lockRoles,
  removeMembers,
  rolesThatWait,
} from './add-members.ts'
import { ROLES, role, selectedAddresses, selectedMembers } from './form.ts'
import { mailInvited } from './invitation-mail.ts'

/** Changes all selected members or pending addresses of a course, or none. */
const selecting = { right: 'change-members', find: lockedCourse } as const

/** Gives members another role: those who are in the course, until they confirm their address where that adds rights. */
export const memberRolesChange = operation({
  ...selecting,
  name: 'change-member-roles',
  input: { person: selectedMembers, role: optional(role) },
  events: ['member-role-changed'],
  async run({ write, subject: { id, slug }, input, note }) {
    const wanted = chosen(input.person, input.role)
    const { given, waiting } = await changeRoles(write, id, new Map(input.person.map((one) => [one, wanted])))
    const changed = given.filter(({ role, former }) => role !== former)
    noteRoles(note, id, changed, false)
    noteRoles(note, id, waiting, true)
    return { slug, role: wanted, changed, found: given.length, waiting: waiting.length }
  },
})

/** Gives members back the roles that they had before a change, as `former` names them: while they have the role that was `given`. */
export const memberRolesUndo = operation({
  ...selecting,
  name: 'undo-member-roles',
  input: { given: role, former: plain },
  events: ['member-role-changed'],
  async run({ write, subject: { id, slug }, input: { given, ...input }, note }) {
    const former = formerRoles(input.former)
    if (former.size === 0) throw notFound()
    const back = await changeRoles(write, id, former, given)
    noteRoles(note, id, back.given, false)
    return { slug, isAll: back.given.length === former.size, isSome: back.given.length > 0 }
  },
})

export const membersRemoval = operation({
  ...selecting,
  name: 'remove-members',
  once: true,
  input: { person: selectedMembers },
  events: ['member-removed'],
  async run({ write, subject: { id: courseId, slug }, input: { person }, note }) {
    requireSome(person)
    const removed = await removePeople(write, courseId, person)
    for (const { id, role } of removed) note('member-removed', { courseId, memberId: id, role })
    return { slug, found: removed.length }
  },
})

export const waitingRolesChange = operation({
  ...selecting,
  name: 'change-waiting-roles',
  input: { email: selectedAddresses, role: optional(role) },
  events: ['waiting-role-changed'],
  async run({ write, subject: { id: courseId, slug }, input, note }) {
    const wanted = chosen(input.email, input.role)
    const count = await changeWaitingRoles(write, courseId, input.email, wanted)
    for (let at = 0; at < count; at += 1) note('waiting-role-changed', { courseId, role: wanted })
    return { slug }
  },
})

export const waitingRolesRemoval = operation({
  ...selecting,
  name: 'remove-waiting-roles',
  input: { email: selectedAddresses },
  events: ['waiting-role-removed'],
  async run({ write, subject: { id: courseId, slug }, input: { email }, note }) {
    requireSome(email)
    const { pending } = await lockWaiting(write, courseId, email)
    await dropAsked(write, courseId, [...pending.keys()])
    const count = await dropWaitingRoles(write, courseId, [...pending.keys()])
    for (let at = 0; at < count; at += 1) note('waiting-role-removed', { courseId })
    return { slug }
  },
})

/**
 * Invites the owners of selected addresses for which a role waits, by mail.
 * @returns of how many, and how many are told: the others have an account, or were told lately (kernel/limits.ts)
 */
export const waitingInvitation = operation({
  ...selecting,
  name: 'mail-invitations',
  input: { email: selectedAddresses },
  events: ['invitations-mailed'],
  async run({ write, actor, subject: course, input: { email }, baseUrl, note }) {
    requireSome(email)
    const { pending, accounts } = await lockWaiting(write, course.id, email)
    const strangers = [...pending.values()].filter((one) => !accounts.has(one.email))
    const mailed = await mailInvited(write, { course, baseUrl, sender: personOf(actor) }, strangers)
    note('invitations-mailed', { courseId: course.id, asked: pending.size, mailed })
    return { slug: course.slug, asked: pending.size, mailed }
  },
})

function requireSome(rows: readonly unknown[]): void {
  if (rows.length === 0) throw refusal('act', 'members.selection.none')
}

/** @throws Refused where nobody is selected, or no role */
function chosen<Role>(rows: readonly unknown[], role: Role | null): Role {
  requireSome(rows)
  if (role === null) throw refusal('role', 'members.selection.noRole')
  return role
}

/** Roles by person, of such as learner.3.12-instructor.7; what is none of it is left out. */
function formerRoles(text: string) {
  const former = new Map<number, (typeof ROLES)[number]>()
  for (const part of text.split('-')) {
    const [name, ...ids] = part.split('.')
    const role = ROLES.find((one) => one === name)
    if (role === undefined) continue
    for (const id of ids) if (/^[1-9]\d{0,14}$/.test(id)) former.set(Number(id), role)
  }
  return former
}

/** Notes each changed role. @param isWaiting for the owner of the address to confirm it */
function noteRoles(
  note: Doing<unknown, CourseSubject, 'member-role-changed'>['note'],
  courseId: number,
  changes: readonly { readonly id: number; readonly role: (typeof ROLES)[number] }[],
  isWaiting: boolean,
): void {
  for (const { id, role } of changes) note('member-role-changed', { courseId, memberId: id, role, isWaiting })
}

/**
 * Gives members other roles, all or none. Who is no member any more is left out.
 * @param wanted the roles by person
 * @param expected only those who have this role; null: whatever they have
 * @throws LastInstructor when nobody would instruct the course
 */
export async function changeRoles(
  write: Write,
  courseId: number,
  wanted: ReadonlyMap<number, Role>,
  expected: Role | null = null,
) {
  const ids = [...wanted.keys()]
  const people = await lockPeopleForRoles(write, ids)
  const instructors = await lockInstructors(write, courseId)
  const roles = await lockRoles(write, courseId, ids)
  const given: { id: number; email: string | null; role: Role; former: Role }[] = []
  const waiting: { id: number; email: string; role: Role }[] = []
  for (const { id, email, isConfirmed } of people) {
    const [former, role] = [roles.get(id), wanted.get(id)]
    if (former === undefined || role === undefined || (expected ?? former) !== former) continue
    if (email === null || isConfirmed || RANK[role] <= RANK[former]) given.push({ id, email, role, former })
    else waiting.push({ id, email, role })
  }
  requireOneOf(instructors, given)
  await giveRoles(write, courseId, given)
  await keepWaiting(write, courseId, waiting)
  return { given, waiting }
}

/**
 * Takes members out of a course, all or none, and the roles that wait for their addresses.
 * @throws LastInstructor
 * @returns who was in it
 */
export async function removePeople(write: Write, courseId: number, ids: readonly number[]) {
  const people = await lockPeopleForRoles(write, ids)
  const instructors = await lockInstructors(write, courseId)
  requireOneOf(
    instructors,
    ids.map((id) => ({ id, role: null })),
  )
  const removed = await removeMembers(write, courseId, ids)
  const removedIds = new Set(removed.map(({ id }) => id))
  const emails = people.flatMap(({ id, email }) => (removedIds.has(id) ? (email ?? []) : []))
  await dropWaitingRoles(write, courseId, emails)
  await dropAsked(write, courseId, emails)
  return removed
}

/** @throws LastInstructor when these changes of roles take the last one; null is no role */
function requireOneOf(
  instructors: readonly number[],
  changes: readonly { readonly id: number; readonly role: Role | null }[],
): void {
  const left = new Set(instructors)
  for (const { id, role } of changes)
    if (role === 'instructor') left.add(id)
    else left.delete(id)
  if (left.size === 0 && instructors.length > 0) throw new LastInstructor()
}

/**
 * Gives roles that wait for addresses another one, all or none. Addresses for which none waits any more are left out.
 * @throws LastInstructor
 * @returns how many changed
 */
async function changeWaitingRoles(write: Write, courseId: number, emails: readonly string[], role: Role) {
  const { pending } = await lockWaiting(write, courseId, emails)
  const lines = [...pending.keys()].map((email) => lineOf({ email, role }))
  const isMeant = { raises: true, lowers: true }
  const { bad, given, waiting, unchanged } = await addMembers(write, courseId, lines, null, isMeant)
  if (bad.length > 0) throw new LastInstructor()
  return given + waiting - unchanged
}

/** In the order in which everything locks them: accounts, roles that wait. */
async function lockWaiting(write: Write, courseId: number, emails: readonly string[]) {
  const accounts = await lockAccounts(write, courseId, emails)
  const pending = await rolesThatWait(write, courseId, emails)
  return { accounts, pending }
}
