import { lockPeopleForRoles } from '../../accounts/identity/lock.ts'
import type { Role, Write } from '../../database/schema.ts'
import { addMember } from '../courses/commands.ts'
import { dropPending, giveRole, LastInstructor, lockInstructors, removeMember } from '../courses/roles.ts'

/** 'absent': they are no member, or have not the role they should have. 'waiting': until they confirm their address. */
export type RoleChange = { readonly former: Role } | 'waiting' | 'absent'

/**
 * Gives a member another role. One that adds rights waits until they have confirmed their address.
 * @param expected the role they should have; null: any
 * @throws LastInstructor when nobody would instruct the course
 */
export async function changeRole(
  write: Write,
  courseId: number,
  personId: number,
  role: Role,
  expected: Role | null = null,
): Promise<RoleChange> {
  const [person] = await lockPeopleForRoles(write, [personId])
  const former = await roleOf(write, courseId, personId)
  if (person === undefined || former === null || (expected !== null && expected !== former)) return 'absent'
  if (former === 'instructor' && role !== 'instructor') await requireAnother(write, courseId, personId)
  if (person.email === null) {
    await addMember(write, courseId, personId, role)
    return { former }
  }
  return (await giveRole(write, courseId, person.email, role)) === 'given' ? { former } : 'waiting'
}

/**
 * Takes a person out of a course, and the role that waits for their address: it would bring them back.
 * @throws LastInstructor
 * @returns the role they had; null: none
 */
export async function removePerson(write: Write, courseId: number, personId: number): Promise<Role | null> {
  // Who confirms the address at the same time takes the role that waits before, or finds none.
  const [person] = await lockPeopleForRoles(write, [personId])
  await requireAnother(write, courseId, personId)
  if (person?.email) await dropPending(write, courseId, person.email)
  return removeMember(write, courseId, personId)
}

/** Two last instructors who go at once wait for each other. */
async function requireAnother(write: Write, courseId: number, personId: number): Promise<void> {
  const ids = await lockInstructors(write, courseId)
  if (ids.length === 1 && ids[0] === personId) throw new LastInstructor()
}

async function roleOf(write: Write, courseId: number, personId: number): Promise<Role | null> {
  const member = await write
    .selectFrom('course_members')
    .select('role')
    .where('course_id', '=', courseId)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return member?.role ?? null
}
