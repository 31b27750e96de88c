import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { showDeadLink } from '../../accounts/identity/opened-link.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam, textParam } from '../../web/params.ts'
import { coursePath, membersPath, pathWith, signInPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import {
  courseJoining,
  findInvitation,
  findJoinedCourse,
  invitationEnd,
  invitationMaking,
} from './invitations.ts'
import { showMembers } from './members-page.ts'

const DEAD_INVITATION = {
  title: 'members.dead.title',
  text: 'members.dead.text',
  advice: 'members.dead.advice',
}

export function registerInvitations(app: FastifyInstance, secret: SecretKeys): void {
  const slugIn = (request: FastifyRequest) => textParam(request, 'course')
  const shared = {
    formPage: (request: FastifyRequest) => membersPath(slugIn(request)),
    done: ({ slug }: { readonly slug: string }) => `${membersPath(slug)}?add=1#invitations`,
  }
  openForm(app, '/courses/:course/invitations', invitationMaking, {
    ...shared,
    key: (request) => ({ slug: slugIn(request), part: secret }),
    flash: () => 'members.flash.invitation',
    refused: async (request, reply, invitationForm) => {
      const course = await courseFor(request, 'change-members')
      return showMembers(request, reply, secret, course, { status: 422, invitationForm })
    },
  })
  openForm(app, '/courses/:course/invitations/:id/end', invitationEnd, {
    ...shared,
    key: (request) => ({ slug: slugIn(request), part: idParam(request, 'id') }),
    flash: () => 'members.flash.ended',
  })

  app.get('/join/:token', async (request, reply) => {
    const token = textParam(request, 'token')
    const invitation = await findInvitation(app.db, token)
    if (invitation === null) {
      // Whoever joined by it opens it again to find the course.
      const slug = request.person === null ? null : await findJoinedCourse(app.db, token, request.person.id)
      if (slug === null) return showDeadLink(request, reply, DEAD_INVITATION)
      return reply.flash('members.flash.member').redirect(coursePath(slug), 303)
    }
    return showInvitation(request, reply, token, invitation)
  })

  openForm(app, '/join/:token', courseJoining, {
    key: () => null,
    formPage: (request) => joinPath(textParam(request, 'token')),
    input: (request) => ({ token: textParam(request, 'token') }),
    shown: (request, reply, { joined }) =>
      joined === null ? showDeadLink(request, reply, DEAD_INVITATION) : null,
    done: ({ joined }) => (joined === null ? '/' : coursePath(joined.slug)),
    flash: (_, done) => `members.flash.${done?.joined?.outcome}`,
  })
}

const joinPath = (token: string) => `/join/${encodeURIComponent(token)}`

export function showInvitation(
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  { title, role }: NonNullable<Awaited<ReturnType<typeof findInvitation>>>,
) {
  const action = joinPath(token)
  const waysIn =
    request.person === null
      ? { signInPath: signInPath(action), signUpPath: pathWith('/sign-up', { next: action }) }
      : null
  return reply.page(
    'members/join',
    {
      title: translatorFor(request)('members.join.title', { course: title }),
      action,
      course: { title },
      role,
      waysIn,
    },
    { robots: 'noindex' },
  )
}
