import type { Operation } from '../../kernel/operation.ts'
import { act } from '../../testing/act.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, type MadeCourse } from '../../testing/builders.ts'
import { forumOfSuites, type TestForum } from '../../testing/forum.ts'
import { rowsOf } from '../../testing/rows.ts'

/** The forum in which people of courses are tested. */
export const forumOfMembers = forumOfSuites()

/** A course, by default a new one, with an instructor, who has a browser and does things without it, too. */
export async function anInstructorOf(forum: TestForum, course?: MadeCourse) {
  const made = course ?? (await aCourse(forum.db))
  const person = await aMember(forum.db, made, 'instructor')
  const by = { actor: person, key: made.slug }
  const does = <Outcome>(
    operation: Operation<string, Outcome>,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Outcome> => act(forum, operation, { ...by, input })
  const browser = await signedIn(forum.app, person)
  return { course: made, person, by, does, browser, path: `/courses/${made.slug}/members` }
}

/** A learner whose address isn't confirmed. */
export const anUnsureMember = async ({ db }: TestForum, course: { readonly id: number }) =>
  aMember(db, course, 'learner', await aPerson(db, { isConfirmed: false }))

/** Who is in a course, as "id role", in the order of their accounts. */
export async function rolesIn({ db }: TestForum, course: { readonly id: number }): Promise<string[]> {
  const rows = await rowsOf(db, 'course_members', { course_id: course.id })
  const inOrder = rows.toSorted((one, other) => one.person_id - other.person_id)
  return inOrder.map(({ person_id: id, role }) => `${id} ${role}`)
}

/** Roles that wait for their people, as "email role", by address. */
export async function waitingIn({ db }: TestForum, course: { readonly id: number }): Promise<string[]> {
  const rows = await rowsOf(db, 'pending_roles', { course_id: course.id })
  return rows.map(({ email, role }) => `${email} ${role}`).toSorted()
}
