import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import type { Role } from '../../database/schema.ts'
import { forbidden, notFound } from '../../operations/problem.ts'
import { textParam } from '../../web/params.ts'
import { membersPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { LastInstructor } from '../courses/roles.ts'
import { ROLES } from './form.ts'
import { changeRoles, RightLost } from './selection.ts'

/** Gives selected members the roles back that they had before. @param config of the forms of a selection */
export function registerUndoOfRoles(app: FastifyInstance, config: FastifyContextConfig): void {
  app.post(
    '/courses/:course/members/selection/role/:given/undo/:former',
    { config },
    async (request, reply) => {
      const course = await courseFor(request, 'change-members')
      const given = ROLES.find((role) => role === textParam(request, 'given'))
      const former = formerRoles(textParam(request, 'former'))
      if (given === undefined || former.size === 0) throw notFound()
      const selecting = { courseId: course.id, actorId: request.requirePerson().id }
      try {
        const { changed } = await changeRoles(app.db, selecting, former, given)
        noteRoles(request, course, changed, false)
        return reply
          .flash(
            `members.flash.${changed.length === former.size ? 'undone' : changed.length > 0 ? 'someLate' : 'late'}`,
          )
          .redirect(membersPath(course.slug), 303)
      } catch (error) {
        if (error instanceof RightLost) throw forbidden()
        if (!(error instanceof LastInstructor)) throw error
        return reply.flash('members.flash.late').redirect(membersPath(course.slug), 303)
      }
    },
  )
}

/** Names who had which role, so that nothing is kept for it: it does what the form can do, while they have the role given. */
export function undoPath(
  course: Course,
  given: Role,
  changed: readonly { readonly id: number; readonly former: Role }[],
) {
  const had = Map.groupBy(changed, ({ former }) => former)
  const former = [...had].map(([role, people]) => `${role}.${people.map(({ id }) => id).join('.')}`).join('-')
  return `${membersPath(course.slug)}/selection/role/${given}/undo/${former}`
}

/** Roles by person, of such as learner.3.12-instructor.7; what is none of it is left out. */
function formerRoles(text: string): Map<number, Role> {
  const former = new Map<number, Role>()
  for (const part of text.split('-')) {
    const [name, ...ids] = part.split('.')
    const role = ROLES.find((one) => one === name)
    if (role === undefined) continue
    for (const id of ids) if (/^[1-9]\d{0,14}$/.test(id)) former.set(Number(id), role)
  }
  return former
}

/** Notes each changed role in the log. @param isWaiting for the owner of the address to confirm it */
export function noteRoles(
  request: FastifyRequest,
  course: Course,
  changes: readonly { readonly id: number; readonly role: Role }[],
  isWaiting: boolean,
): void {
  for (const { id, role } of changes)
    noteEvent(request, 'member-role-changed', { courseId: course.id, memberId: id, role, isWaiting })
}
