import { lockAccountForRole } from '../../accounts/identity/lock.ts'
import type { Database, Role, Write } from '../../database/schema.ts'
import { missed, owner, ownOf } from '../../database/table.ts'
import { personOf } from '../../kernel/actor.ts'
import { operation } from '../../kernel/operation.ts'
import { ownPart } from '../../kernel/own-data.ts'
import { refusal } from '../../kernel/problem.ts'
import { addMember } from './commands.ts'
import { course } from './find-course.ts'

const IN_ORDER = "array['learner', 'assistant', 'instructor']"

export const courseMembers = ownOf('course_members', 'course_id', 'courses', {
  column: missed(owner),
  wins: `array_position(${IN_ORDER}, mine.role) > array_position(${IN_ORDER}, theirs.role)`,
  isRole: true,
})

/**
 * What became of a role given to an address. 'waiting': until the owner of the mailbox confirms the address.
 * 'no-account': the same, and nobody has signed up under it yet.
 */
export type Grant = 'given' | 'waiting' | 'no-account'

/** Nobody would instruct the course. */
export class LastInstructor extends Error {}

export const RANK = { learner: 0, assistant: 1, instructor: 2 } as const satisfies Record<Role, number>

/**
 * Gives the owner of an address a role in a course, instead of the one they may have. A person who signed up with an address may
 * not be its owner, so a role that adds rights waits in pending_roles until the address is confirmed: see kernel/rights/pending-roles.ts.
 * @param email in lower case
 */
export async function giveRole(write: Write, courseId: number, email: string, role: Role): Promise<Grant> {
  const account = await lockAccountForRole(write, email)
  if (account !== null && (account.isConfirmed || (await holds(write, courseId, account.id, role)))) {
    await addMember(write, courseId, account.id, role)
    await dropPending(write, courseId, email)
    return 'given'
  }
  await write
    .insertInto('pending_roles')
    .values({ course_id: courseId, email, role })
    .onConflict((conflict) => conflict.columns(['course_id', 'email']).doUpdateSet({ role }))
    .execute()
  return account === null ? 'no-account' : 'waiting'
}

/**
 * Takes the owner of an address out of a course, and the role that waits for the address.
 * @returns `personId` null: nobody has an account with the address; `role`: what they had, null: they were no
 * member
 */
export async function removeRole(write: Write, courseId: number, email: string) {
  const account = await lockAccountForRole(write, email)
  const wasWaiting = await dropPending(write, courseId, email)
  const role = account === null ? null : await removeMember(write, courseId, account.id)
  return { personId: account?.id ?? null, role, wasWaiting }
}

/** Takes a person out of a course. @returns the role they had; null: none */
export async function removeMember(write: Write, courseId: number, personId: number): Promise<Role | null> {
  const removed = await write
    .deleteFrom('course_members')
    .where('course_id', '=', courseId)
    .where('person_id', '=', personId)
    .returning('role')
    .executeTakeFirst()
  return removed?.role ?? null
}

export async function instructorIds(db: Database | Write, courseId: number): Promise<number[]> {
  const rows = await selectInstructors(db, courseId).execute()
  return rows.map((row) => row.person_id)
}

/**
 * @returns the role they had; null: they were no member
 * @throws LastInstructor when nobody else instructs it
 */
export async function leaveCourse(write: Write, courseId: number, personId: number): Promise<Role | null> {
  // Two last instructors leaving at once wait for each other.
  const ids = await lockInstructors(write, courseId)
  if (ids.length === 1 && ids[0] === personId) throw new LastInstructor()
  return removeMember(write, courseId, personId)
}

export async function lockInstructors(write: Write, courseId: number): Promise<number[]> {
  const rows = await selectInstructors(write, courseId).forUpdate().execute()
  return rows.map((row) => row.person_id)
}

function selectInstructors(db: Database | Write, courseId: number) {
  return db
    .selectFrom('course_members')
    .select('person_id')
    .where('course_id', '=', courseId)
    .where('role', '=', 'instructor')
    .orderBy('person_id')
}

/** Whether a person has this role or a higher one: giving it adds no right. */
export async function holds(write: Write, courseId: number, personId: number, role: Role): Promise<boolean> {
  const member = await write
    .selectFrom('course_members')
    .select('role')
    .where('course_id', '=', courseId)
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return member !== undefined && RANK[role] <= RANK[member.role]
}

/** A role waits for an address no more. @returns false: none did */
export async function dropPending(write: Write, courseId: number, email: string): Promise<boolean> {
  const dropped = await write
    .deleteFrom('pending_roles')
    .where('course_id', '=', courseId)
    .where('email', '=', email)
    .executeTakeFirst()
  return dropped.numDeletedRows > 0n
}

/** Leaves a course. Its last instructor can't. */
export const courseLeaving = operation({
  name: 'leave-course',
  right: 'leave',
  find: course,
  isForSuspended: true,
  events: ['course-left'],
  async run({ write, actor, subject: { id: courseId, isPublic, slug, title }, note }) {
    try {
      const role = await leaveCourse(write, courseId, personOf(actor).id)
      if (role !== null) note('course-left', { courseId, role })
      return { slug, isPublic }
    } catch (error) {
      if (!(error instanceof LastInstructor)) throw error
      throw refusal('courses', 'courses.own.lastInstructor', { course: title })
    }
  },
})

export const ownCourses = ownPart('courses', (db, { id: personId }) =>
  db
    .selectFrom('course_members as member')
    .innerJoin('courses as course', 'course.id', 'member.course_id')
    .select(['course.title', 'member.role'])
    .where('member.person_id', '=', personId)
    .orderBy('course.id')
    .execute(),
)
