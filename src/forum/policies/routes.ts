import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { POLICY_NAMES } from '../../database/schema.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { textParam } from '../../web/params.ts'
import { courseRulesFormPath, courseRulesPath } from '../../web/paths.ts'
import { type RunningPlace, runningNav } from '../course-settings/nav.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { type Editing, type PolicyFormView, policyDoor, showPolicyForm } from './editing.ts'
import { courseRulesChange } from './operations.ts'
import { showCourseRules, showPolicy } from './pages.ts'

interface CourseRulesPage extends PolicyFormView {
  readonly nav: readonly RunningPlace[]
  readonly pagePath: string
}

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
  const editingOf = async (request: FastifyRequest, reply: FastifyReply) =>
    editing(request, reply, await courseFor(request, 'manage'))
  app.get(path, async (request, reply) => showPolicyForm(request, await editingOf(request, reply)))
  openForm(app, path, courseRulesChange, {
    ...policyDoor(editingOf),
    key: (request) => textParam(request, 'course'),
    formPage: (request) => courseRulesFormPath(textParam(request, 'course')),
    done: ({ slug }) => courseRulesFormPath(slug),
  })
}

function editing(request: FastifyRequest, reply: FastifyReply, course: Course): Editing {
  return {
    place: { courseId: course.id, name: 'rules', language: course.language },
    path: courseRulesFormPath(course.slug),
    show: async (form, status) =>
      reply.page<CourseRulesPage>(
        'policies/edit-course',
        {
          title: translatorFor(request)('policies.courseRules'),
          ...form,
          nav: runningNav(request, course.slug, 'rules'),
          pagePath: courseRulesPath(course.slug),
        },
        {
          status,
          about: translatorFor(request)('courseSettings.edit.title'),
          course: course.slug,
          bar: await barOf(request, course, 'settings'),
          isForStaff: true,
          showsTexts: true,
        },
      ),
  }
}
