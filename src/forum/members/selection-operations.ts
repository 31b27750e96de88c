import { personOf } from '../../operations/actor.ts'
import { optional, plain } from '../../operations/fields.ts'
import { type Doing, operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { refusal } from '../../operations/refused.ts'
import { type CourseSubject, lockedCourse } from '../courses/subjects.ts'
import { ROLES, role, selectedAddresses, selectedMembers } from './form.ts'
import { changeRoles, removePeople } from './selection.ts'
import { changeWaitingRoles, dropWaitingOf, inviteWaiting } from './waiting-selection.ts'

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

/** Takes members out of a course. */
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

/** Gives the roles that wait for selected addresses another one. */
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

/** The roles that wait for selected addresses wait no more. */
export const waitingRolesRemoval = operation({
  ...selecting,
  name: 'remove-waiting-roles',
  input: { email: selectedAddresses },
  events: ['waiting-role-removed'],
  async run({ write, subject: { id: courseId, slug }, input: { email }, note }) {
    requireSome(email)
    const count = await dropWaitingOf(write, courseId, email)
    for (let at = 0; at < count; at += 1) note('waiting-role-removed', { courseId })
    return { slug }
  },
})

/** Invites the owners of selected addresses by mail. @returns of how many, and how many are told */
export const waitingInvitation = operation({
  ...selecting,
  name: 'mail-invitations',
  input: { email: selectedAddresses },
  events: ['invitations-mailed'],
  async run({ write, actor, subject: course, input: { email }, baseUrl, note }) {
    requireSome(email)
    const invitation = { course, baseUrl, sender: personOf(actor) }
    const { asked, mailed } = await inviteWaiting(write, course.id, email, invitation)
    note('invitations-mailed', { courseId: course.id, asked, mailed })
    return { slug: course.slug, asked, mailed }
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
