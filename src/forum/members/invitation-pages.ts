import type { FastifyInstance, FastifyRequest } from 'fastify'
import { showDeadLink } from '../../accounts/identity/opened-link.ts'
import { openForm } from '../../web/forms/door.ts'
import { page } from '../../web/page.ts'
import { idParam, textParam } from '../../web/params.ts'
import { coursePath, membersPath, pathWith, signInPath } from '../../web/paths.ts'
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

export function registerInvitations(app: FastifyInstance): void {
  const slugIn = (request: FastifyRequest) => textParam(request, 'course')
  const shared = {
    formPage: (request: FastifyRequest) => membersPath(slugIn(request)),
    done: ({ slug }: { readonly slug: string }) => `${membersPath(slug)}?add=1#invitations`,
  }
  openForm(app, '/courses/:course/invitations', invitationMaking, {
    ...shared,
    key: (request) => ({ slug: slugIn(request), part: app.secretKeys }),
    flash: () => 'members.flash.invitation',
    refused: (request, reply, invitationForm) => showMembers(request, reply, { invitationForm }),
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
    return showInvitation(request, reply, joinPath(token), invitation)
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

export const showInvitation = page(
  'members/join',
  { robots: 'noindex' },
  (
    { t, viewer },
    action: string,
    { title, role }: NonNullable<Awaited<ReturnType<typeof findInvitation>>>,
  ) => ({
    title: t('members.join.title', { course: title }),
    action,
    role,
    waysIn:
      viewer === null
        ? { signInPath: signInPath(action), signUpPath: pathWith('/sign-up', { next: action }) }
        : null,
  }),
)
