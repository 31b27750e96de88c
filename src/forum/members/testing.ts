import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, type MadeCourse } from '../../testing/builders.ts'
import type { TestForum } from '../../testing/forum.ts'

/** A course, by default a new one, with an instructor who is signed in, and the path of its members. */
export async function anInstructorOf(forum: TestForum, course?: MadeCourse) {
  const made = course ?? (await aCourse(forum.db))
  const person = await aMember(forum.db, made, 'instructor')
  const browser = await signedIn(forum.app, person)
  return { course: made, person, browser, path: `/courses/${made.slug}/members` }
}

/** Roles that wait for their people, as "email role", by address. */
export async function waitingIn({ db }: TestForum, course: { readonly id: number }): Promise<string[]> {
  const rows = await db
    .selectFrom('pending_roles')
    .select(['email', 'role'])
    .where('course_id', '=', course.id)
    .orderBy('email')
    .execute()
  return rows.map(({ email, role }) => `${email} ${role}`)
}
