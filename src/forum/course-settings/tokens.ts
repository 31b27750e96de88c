import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Guesses } from '../../accounts/identity/guesses.ts'
import { type Asking, askingOf, refuseFormOfStranger } from '../../accounts/identity/password-again.ts'
import { listTokens } from '../../accounts/tokens/commands.ts'
import { courseTokenForm, dayAhead, USUAL_DAYS } from '../../accounts/tokens/form.ts'
import { type MadeToken, type TokenRow, tokenRows } from '../../accounts/tokens/rows.ts'
import { type FormState, freshForm } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam, textParam } from '../../web/params.ts'
import { courseSettingsPath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import { type RunningPlace, runningNav } from './nav.ts'
import { courseTokenEnd, courseTokenMaking } from './token-operations.ts'

/** Tokens of a course, and the form for another: views/tokens/course.eta. */
interface CourseTokensPage extends Asking {
  readonly nav: readonly RunningPlace[]
  readonly tokens: readonly TokenRow[]
  readonly made: MadeToken | null
  readonly form: FormState
  readonly action: string
}

/** Tokens that read what an assistant of the course may, whoever made them, and write nothing. */
export function registerCourseTokens(app: FastifyInstance, guesses: Guesses): void {
  const path = '/courses/:course/settings/tokens'
  const slugIn = (request: FastifyRequest) => textParam(request, 'course')
  const formPage = (request: FastifyRequest) => tokensPath(slugIn(request))
  app.get(path, async (request, reply) => showTokens(request, reply, {}))
  openForm(app, path, courseTokenMaking, {
    key: slugIn,
    formPage,
    async instead(request, reply) {
      await courseFor(request, 'manage')
      const show = (form: FormState, status: number) => showTokens(request, reply, { form, status })
      return refuseFormOfStranger(request, reply, guesses, courseTokenForm, show, 'key')
    },
    done: ({ slug }) => tokensPath(slug),
    shown: (request, reply, { made }) => showTokens(request, reply, { made }),
    refused: (request, reply, form) => showTokens(request, reply, { form, status: 422 }),
  })
  openForm(app, `${path}/:id/end`, courseTokenEnd, {
    key: (request) => ({ slug: slugIn(request), part: idParam(request, 'id') }),
    formPage,
    done: ({ slug }) => tokensPath(slug),
    flash: () => 'tokens.flash.revoked',
  })
}

async function showTokens(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    form = freshForm({ ends: dayAhead(USUAL_DAYS) }),
    made = null,
    status = 200,
  }: { readonly form?: FormState; readonly made?: MadeToken | null; readonly status?: number },
) {
  const course = await courseFor(request, 'manage')
  const tokens = await listTokens(request.server.db, { personId: null, courseId: course.id })
  const path = tokensPath(course.slug)
  return reply.page<CourseTokensPage>(
    'tokens/course',
    {
      title: translatorFor(request)('tokens.title'),
      nav: runningNav(request, course.slug, 'tokens'),
      tokens: tokenRows(request, tokens, { path, timeZone: course.timeZone }),
      ...{ made, form, action: path },
      ...(await askingOf(request, request.requirePerson(), 'key')),
    },
    {
      status,
      about: course.title,
      course: course.slug,
      bar: await barOf(request, course, 'settings'),
      isForStaff: true,
      showsTexts: true,
    },
  )
}

const tokensPath = (slug: string) => `${courseSettingsPath(slug)}/tokens`
