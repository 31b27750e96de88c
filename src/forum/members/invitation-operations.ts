import { personOf } from '../../operations/actor.ts'
import { plain } from '../../operations/fields.ts'
import { forum, operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { refusal } from '../../operations/refused.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { course, lockedCourse, partOf } from '../courses/subjects.ts'
import { isDeleted } from '../purging/hide-course.ts'
import { invitation } from './form.ts'
import { endInvitation, joinBy, makeInvitation } from './invitations.ts'

/** Makes a link by which people join a course; the `part` of its subject are the secrets of the forum. */
export const invitationMaking = operation({
  name: 'make-invitation',
  right: 'change-members',
  find: partOf<SecretKeys>(lockedCourse),
  input: invitation,
  events: ['invitation-made'],
  async run({ write, subject: { id: courseId, slug, timeZone, part: keys }, input, note }) {
    if (await isDeleted(write, courseId)) throw notFound()
    if (!(await makeInvitation(write, keys, { ...input, courseId, timeZone })))
      throw refusal('until', 'members.until.wrong')
    note('invitation-made', { courseId, role: input.role })
    return { slug }
  },
})

/** Ends such a link. */
export const invitationEnd = operation({
  name: 'end-invitation',
  once: true,
  right: 'change-members',
  find: partOf<number>(course),
  events: ['invitation-ended'],
  async run({ write, subject: { id: courseId, slug, part }, note }) {
    if (!(await endInvitation(write, courseId, part))) throw notFound()
    note('invitation-ended', { courseId })
    return { slug }
  },
})

/** Joins a course by a link. @returns `joined` null: the link does not work (any more) */
export const courseJoining = operation({
  name: 'join-course',
  right: 'have-account',
  find: forum,
  input: { token: plain },
  events: ['course-joined'],
  async run({ write, actor, input: { token }, note }) {
    const joined = await joinBy(write, token, personOf(actor).id)
    if (joined !== null && joined.outcome !== 'member')
      note('course-joined', { courseId: joined.courseId, isWaiting: joined.outcome === 'joinedWaiting' })
    return { joined }
  },
})
