import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { POLICY_NAMES } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { languageOfRequest } from '../../web/language.ts'
import { textParam } from '../../web/params.ts'
import { courseRulesPath, courseSettingsPath } from '../../web/paths.ts'
import { type RunningPlace, runningNav } from '../course-settings/nav.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { type Editing, type PolicyFormView, showPolicyForm, takePolicyForm } from './editing.ts'
import { policyForm } from './form.ts'
import { showCourseRules, showPolicy } from './pages.ts'
import { findCourseRules } from './queries.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'policies/edit-course': PolicyFormView & {
      readonly nav: readonly RunningPlace[]
      readonly pagePath: string
    }
  }
}

/** What admins tell about the forum, and instructors about their course. Admins write theirs at /admin/pages. */
export function registerPolicies(app: FastifyInstance): void {
  const config = { shared: { parameters: [], isForMembers: true } }
  for (const name of POLICY_NAMES)
    app.get(`/${name}`, { config }, (request, reply) => showPolicy(request, reply, name))
  app.get('/courses/:course/rules', { config }, async (request, reply) =>
    showCourseRules(request, reply, await courseFor(request, 'read')),
  )
  registerCourseRules(app)
}

function registerCourseRules(app: FastifyInstance): void {
  const path = '/courses/:course/settings/rules'
  const formPage = (request: FastifyRequest) => pathOf(textParam(request, 'course'))
  const keeps = [...policyForm.names, 'version']
  app.get(path, async (request, reply) =>
    showPolicyForm(request, editing(request, reply, await courseFor(request, 'manage'))),
  )
  const config = { limit: 'posting', needsPerson: true, formPage, keeps } as const
  app.post(path, { config }, async (request, reply) =>
    takePolicyForm(request, reply, editing(request, reply, await courseFor(request, 'manage'))),
  )
}

const pathOf = (slug: string) => `${courseSettingsPath(slug)}/rules`

function editing(request: FastifyRequest, reply: FastifyReply, course: Course): Editing {
  return {
    place: { courseId: course.id, name: 'rules', language: course.language },
    find: () => findCourseRules(request.server.db, course.id),
    path: pathOf(course.slug),
    show: async (form, status) =>
      reply.page(
        'policies/edit-course',
        {
          title: translatorOf(languageOfRequest(request))('policies.courseRules'),
          ...form,
          nav: runningNav(request, course.slug, 'rules'),
          pagePath: courseRulesPath(course.slug),
        },
        {
          status,
          course: course.slug,
          bar: await barOf(request, course, 'settings'),
          isForStaff: true,
          showsTexts: true,
        },
      ),
  }
}
