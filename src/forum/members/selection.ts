import { lockPeopleForRoles } from '../../accounts/identity/lock.ts'
import type { Role, Write } from '../../database/schema.ts'
import { LastInstructor, lockInstructors, RANK } from '../courses/roles.ts'
import { dropAsked, dropWaitingRoles, giveRoles, keepWaiting, lockRoles, removeMembers } from './role-rows.ts'

export interface RolesChanged {
  /** People with the new role, who had another one or the same. */
  readonly given: readonly { readonly id: number; readonly former: Role; readonly role: Role }[]
  /** Who gets the role once they confirm their address. */
  readonly waiting: readonly { readonly id: number; readonly role: Role }[]
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
): Promise<RolesChanged> {
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
export async function removePeople(
  write: Write,
  courseId: number,
  ids: readonly number[],
): Promise<readonly { readonly id: number; readonly role: Role }[]> {
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
