import type { Database, Role } from '../../database/schema.ts'
import type { Course } from '../../forum/courses/queries.ts'
import { giveRole, instructorIds, removeRole } from '../../forum/courses/roles.ts'
import { courseCalled } from './course-called.ts'
import { CommandError, withDatabase } from './run.ts'

/** In place of a role: removes the membership. */
export const NONE = 'none'

/** `course member SLUG EMAIL ROLE`: gives the owner of an email address a role, or removes them from the course. */
export async function member(slug: string, address: string, role: Role | typeof NONE): Promise<void> {
  const email = address.normalize('NFC').trim().toLowerCase()
  await withDatabase(async ({ db }) => {
    const course = await courseCalled(db, slug)
    console.log(role === NONE ? await takeOut(db, course, email) : await letIn(db, course, email, role))
  })
}

/** @returns the line to print */
async function letIn(db: Database, { id, title }: Course, email: string, role: Role): Promise<string> {
  const grant = await db.transaction().execute(async (write) => {
    const given = await giveRole(write, id, email, role)
    // Probably a typing error, so no role is reserved for the address.
    if (given === 'no-account')
      throw new CommandError(`no one has an account with ${email}; create one with user create`)
    return given
  })
  if (grant === 'given') return `${email} is ${role} of "${title}"`
  return `${email} is not confirmed, so the role ${role} of "${title}" takes effect when its owner confirms the address: with the link in their email, or the one from "user link ${email}"`
}

/** @returns the line to print */
async function takeOut(db: Database, { id, title }: Course, email: string): Promise<string> {
  const removed = await db.transaction().execute((write) => removeRole(write, id, email))
  if (removed.role === null && !removed.wasWaiting)
    throw new CommandError(`${email} has no role in "${title}"`)
  const hasInstructor = removed.role !== 'instructor' || (await instructorIds(db, id)).length > 0
  const warning = hasInstructor ? '' : '; it has no instructor now: add one with course member'
  return `${email} has no role in "${title}" anymore${warning}`
}
