import type { FastifyInstance, FastifyRequest } from 'fastify'
import { showDeadLink } from '../../accounts/identity/dead-link.ts'
import { noteEvent } from '../../audit-log/note.ts'
import type { Role } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { notFound } from '../../operations/problem.ts'
import type { SecretKeys } from '../../secrets/keys.ts'
import { refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { idParam, textParam } from '../../web/params.ts'
import { coursePath, membersPath, signInPath } from '../../web/paths.ts'
import { courseFor } from '../courses/find-course.ts'
import { invitationForm } from './form.ts'
import { endInvitation, findInvitation, findJoinedCourse, joinBy, makeInvitation } from './invitations.ts'
import { showMembers } from './members-page.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'members/join': {
      readonly action: string
      readonly course: { readonly title: string }
      readonly role: Role
      readonly signInPath: string | null
    }
  }
}

const DEAD_INVITATION = {
  title: 'members.dead.title',
  text: 'members.dead.text',
  advice: 'members.dead.advice',
}

/** Links by which people join a course. */
export function registerInvitations(app: FastifyInstance, secret: SecretKeys): void {
  const formPage = (request: FastifyRequest) => membersPath(textParam(request, 'course'))
  const config = { limit: 'posting', needsPerson: true, formPage } as const

  app.post('/courses/:course/invitations', { config }, async (request, reply) => {
    const course = await courseFor(request, 'change-members')
    const form = invitationForm.parse(request.body)
    if (!form.ok) return showMembers(request, reply, secret, course, { status: 422, invitationForm: form })
    const { timeZone, id: courseId } = course
    if (!(await makeInvitation(app.db, secret, { ...form.values, courseId, timeZone }))) {
      const refused = refuse(form, 'until', 'members.until.wrong')
      return showMembers(request, reply, secret, course, { status: 422, invitationForm: refused })
    }
    noteEvent(request, 'invitation-made', { courseId, role: form.values.role })
    return reply.flash('members.flash.invitation').redirect(`${membersPath(course.slug)}#invitations`, 303)
  })

  app.post('/courses/:course/invitations/:id/end', { config }, async (request, reply) => {
    const course = await courseFor(request, 'change-members')
    if (!(await endInvitation(app.db, course.id, idParam(request, 'id')))) throw notFound()
    noteEvent(request, 'invitation-ended', { courseId: course.id })
    return reply.flash('members.flash.ended').redirect(`${membersPath(course.slug)}#invitations`, 303)
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
    const t = translatorOf(languageOfRequest(request))
    const action = joinPath(token)
    return reply.page(
      'members/join',
      {
        title: t('members.join.title', { course: invitation.title }),
        action,
        course: { title: invitation.title },
        role: invitation.role,
        signInPath: request.person === null ? signInPath(action) : null,
      },
      { robots: 'noindex' },
    )
  })

  const joining = {
    limit: 'posting',
    needsPerson: true,
    formPage: (request: FastifyRequest) => joinPath(textParam(request, 'token')),
  } as const
  app.post('/join/:token', { config: joining }, async (request, reply) => {
    const person = request.requirePerson()
    const joined = await joinBy(app.db, textParam(request, 'token'), person.id)
    if (joined === null) return showDeadLink(request, reply, DEAD_INVITATION)
    const { outcome, courseId, slug } = joined
    if (outcome !== 'member')
      noteEvent(request, 'course-joined', { courseId, isWaiting: outcome === 'waiting' })
    return reply
      .flash(`members.flash.${outcome}`)
      .redirect(outcome === 'waiting' ? '/settings' : coursePath(slug), 303)
  })
}

const joinPath = (token: string) => `/join/${encodeURIComponent(token)}`
