import { sql } from 'kysely'
import { lockPeople } from '../../accounts/identity/lock.ts'
import type { Database, Role, Write } from '../../database/schema.ts'
import { LastInstructor, lockInstructors, RANK } from '../courses/roles.ts'
import { dropWaitingRoles, giveRoles, keepWaiting, lockRoles, removeMembers } from './role-rows.ts'

/** Who does it lost the right to before it was done: nothing is. */
export class RightLost extends Error {}

/** Where a selection is changed, and by whom. */
export interface Selecting {
  readonly courseId: number
  readonly actorId: number
}

export interface RolesChanged {
  readonly changed: readonly { readonly id: number; readonly former: Role; readonly role: Role }[]
  /** Who gets the role once they confirm their address. */
  readonly waiting: readonly { readonly id: number; readonly role: Role }[]
}

/**
 * Gives members other roles, all or none. Who is no member any more is left out.
 * @param wanted the roles by person
 * @param expected only those who have this role; null: whatever they have
 * @throws LastInstructor when nobody would instruct the course; RightLost
 */
export async function changeRoles(
  db: Database,
  { courseId, actorId }: Selecting,
  wanted: ReadonlyMap<number, Role>,
  expected: Role | null = null,
): Promise<RolesChanged> {
  return db.transaction().execute(async (write) => {
    const ids = [...wanted.keys()]
    const people = await lockPeople(write, ids)
    const instructors = await lockInstructorsFor(write, courseId, actorId)
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
    return { changed: given.filter(({ role, former }) => role !== former), waiting }
  })
}

/**
 * Takes members out of a course, all or none, and the roles that wait for their addresses.
 * @throws LastInstructor, RightLost
 * @returns who was in it
 */
export async function removePeople(
  db: Database,
  { courseId, actorId }: Selecting,
  ids: readonly number[],
): Promise<readonly { readonly id: number; readonly role: Role }[]> {
  return db.transaction().execute(async (write) => {
    const people = await lockPeople(write, ids)
    const instructors = await lockInstructorsFor(write, courseId, actorId)
    requireOneOf(
      instructors,
      ids.map((id) => ({ id, role: null })),
    )
    const removed = await removeMembers(write, courseId, ids)
    const removedIds = new Set(removed.map(({ id }) => id))
    const emails = people.flatMap(({ id, email }) => (removedIds.has(id) ? (email ?? []) : []))
    await dropWaitingRoles(write, courseId, emails)
    return removed
  })
}

/**
 * Who instructs a course, locked: of two who take each other's role the second waits, and finds that it may not any more.
 * @throws RightLost unless somebody instructs it still, or is an admin
 */
export async function lockInstructorsFor(
  write: Write,
  courseId: number,
  actorId: number,
): Promise<readonly number[]> {
  const instructors = await lockInstructors(write, courseId)
  if (instructors.includes(actorId)) return instructors
  const { rows } = await sql`select from people where id = ${actorId} and is_admin`.execute(write)
  if (rows.length === 0) throw new RightLost()
  return instructors
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
