import { makeToken, revokeToken } from '../../accounts/tokens/commands.ts'
import { courseToken } from '../../accounts/tokens/form.ts'
import { operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { refusal } from '../../operations/refused.ts'
import { lockedCourse, partOf } from '../courses/subjects.ts'

/** Makes a token of a course, which is shown once. */
export const courseTokenMaking = operation({
  name: 'make-course-token',
  right: 'manage',
  find: lockedCourse,
  input: courseToken,
  async run({ write, subject: { id: courseId, slug, timeZone }, input, note }) {
    const wished = { ...input, scopes: ['read', 'staff'], timeZone } as const
    const token = await makeToken(write, { personId: null, courseId }, wished)
    if (token === null) throw refusal('name', 'tokens.many')
    note('course-token-made', { courseId })
    return { slug, made: { name: input.name, token } }
  },
})

/** Revokes a token of a course. */
export const courseTokenEnd = operation({
  name: 'revoke-course-token',
  right: 'manage',
  find: partOf<number>(lockedCourse),
  async run({ write, subject: { id: courseId, slug, part }, note }) {
    if ((await revokeToken(write, { personId: null, courseId }, part)) === null) throw notFound()
    note('course-token-revoked', { courseId })
    return { slug }
  },
})
