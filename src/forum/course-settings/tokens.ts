import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listTokens, makeToken, revokeToken } from '../../accounts/tokens/commands.ts'
import { courseTokenForm, dayAhead, USUAL_DAYS } from '../../accounts/tokens/form.ts'
import { type MadeToken, type TokenRow, tokenRows } from '../../accounts/tokens/rows.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { notFound } from '../../operations/problem.ts'
import { type FormState, freshForm, refuse } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { idParam, textParam } from '../../web/params.ts'
import { courseSettingsPath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { type RunningPlace, runningNav } from './nav.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'tokens/course': CourseTokensPage
  }
}

/** Tokens of a course, and the form for another: views/tokens/course.eta. */
export interface CourseTokensPage {
  readonly nav: readonly RunningPlace[]
  readonly tokens: readonly TokenRow[]
  readonly made: MadeToken | null
  readonly form: FormState
  readonly action: string
}

/** Tokens that read what an assistant of the course may, whoever made them, and write nothing. */
export function registerCourseTokens(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => tokensPath(textParam(request, 'course'))
  const config = { limit: 'posting', needsPerson: true, formPage } as const

  app.get('/courses/:course/settings/tokens', async (request, reply) =>
    showTokens(request, reply, await courseFor(request, 'manage'), {}),
  )

  app.post('/courses/:course/settings/tokens', { config }, async (request, reply) => {
    const course = await courseFor(request, 'manage')
    const form = courseTokenForm.parse(request.body)
    if (!form.ok) return showTokens(request, reply, course, { form, status: 422 })
    const made = { ...form.values, scopes: ['read', 'staff'], timeZone: course.timeZone } as const
    const owner = { personId: null, courseId: course.id } as const
    const token = await app.db.transaction().execute((write) => makeToken(write, owner, made))
    if (token === null)
      return showTokens(request, reply, course, { form: refuse(form, 'name', 'tokens.many'), status: 422 })
    noteEvent(request, 'course-token-made', { courseId: course.id })
    return showTokens(request, reply, course, { made: { name: form.values.name, token } })
  })

  app.post('/courses/:course/settings/tokens/:id/end', { config }, async (request, reply) => {
    const course = await courseFor(request, 'manage')
    const id = idParam(request, 'id')
    const owner = { personId: null, courseId: course.id } as const
    const revoked = await app.db.transaction().execute((write) => revokeToken(write, owner, id))
    if (revoked === null) throw notFound()
    noteEvent(request, 'course-token-revoked', { courseId: course.id })
    return reply.flash('tokens.flash.revoked').redirect(tokensPath(course.slug), 303)
  })
}

async function showTokens(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  {
    form = freshForm({ ends: dayAhead(USUAL_DAYS) }),
    made = null,
    status = 200,
  }: { readonly form?: FormState; readonly made?: MadeToken | null; readonly status?: number },
) {
  const tokens = await listTokens(request.server.db, { personId: null, courseId: course.id })
  const path = tokensPath(course.slug)
  return reply.page(
    'tokens/course',
    {
      title: translatorOf(languageOfRequest(request))('tokens.title'),
      nav: runningNav(request, course.slug, 'tokens'),
      tokens: tokenRows(request, tokens, { path, timeZone: course.timeZone }),
      ...{ made, form, action: path },
    },
    {
      status,
      course: course.slug,
      bar: await barOf(request, course, 'settings'),
      isForStaff: true,
      showsTexts: true,
    },
  )
}

const tokensPath = (slug: string) => `${courseSettingsPath(slug)}/tokens`
