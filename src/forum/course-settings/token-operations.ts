import { accountLetter, type Circumstances } from '../../accounts/identity/letters.ts'
import { makeToken, revokeToken } from '../../accounts/tokens/commands.ts'
import { courseToken } from '../../accounts/tokens/form.ts'
import type { Write } from '../../database/schema.ts'
import { writeMail } from '../../mail/write-mail.ts'
import { operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { refusal } from '../../operations/refused.ts'
import { courseSettingsPath } from '../../web/paths.ts'
import { lockedCourse, partOf } from '../courses/subjects.ts'
import { isDeleted } from '../purging/hide-course.ts'

/** Makes a token of a course, which is shown once; the course's instructors are told by email. */
export const courseTokenMaking = operation({
  name: 'make-course-token',
  right: 'manage',
  find: lockedCourse,
  input: courseToken,
  events: ['course-token-made'],
  async run({ write, subject: { id: courseId, slug, timeZone, title }, input, note, ...where }) {
    if (await isDeleted(write, courseId)) throw notFound()
    const wished = { ...input, scopes: ['read', 'staff'], timeZone } as const
    const token = await makeToken(write, { personId: null, courseId }, wished)
    if (token === null) throw refusal('name', 'tokens.many')
    await tellInstructors(write, 'courseTokenMade', { id: courseId, slug, title }, where)
    note('course-token-made', { courseId })
    return { slug, made: { name: input.name, token } }
  },
})

/** Revokes a token of a course; its instructors are told by email. */
export const courseTokenEnd = operation({
  name: 'revoke-course-token',
  right: 'manage',
  find: partOf<number>(lockedCourse),
  events: ['course-token-revoked'],
  async run({ write, subject: { id: courseId, slug, title, part }, note, ...where }) {
    if ((await revokeToken(write, { personId: null, courseId }, part)) === null) throw notFound()
    await tellInstructors(write, 'courseTokenRevoked', { id: courseId, slug, title }, where)
    note('course-token-revoked', { courseId })
    return { slug }
  },
})

/** A token reads on when the one who made it is gone: all instructors know of it, with an address that is theirs. */
async function tellInstructors(
  write: Write,
  kind: 'courseTokenMade' | 'courseTokenRevoked',
  { id, slug, title }: { readonly id: number; readonly slug: string; readonly title: string },
  circumstances: Circumstances,
): Promise<void> {
  const instructors = await write
    .selectFrom('course_members as member')
    .innerJoin('people as person', 'person.id', 'member.person_id')
    .select(['person.id', 'person.email', 'person.language'])
    .where('member.course_id', '=', id)
    .where('member.role', '=', 'instructor')
    .where('person.left_at', 'is', null)
    .where('person.email_confirmed_at', 'is not', null)
    .orderBy('person.id')
    .execute()
  for (const { id: personId, email, language } of instructors) {
    if (email === null) continue
    const to = { personId, email, isConfirmed: true, language }
    const path = `${courseSettingsPath(slug)}/tokens`
    await writeMail(write, accountLetter(kind, path, to, circumstances, { course: title }))
  }
}
