import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { POLICY_NAMES, type PolicyName } from '../../database/schema.ts'
import { may, placeOf } from '../../kernel/rights/rights.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { openForm } from '../../web/forms/door.ts'
import { languageOfRequest, translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { textParam } from '../../web/params.ts'
import { courseRulesFormPath, courseRulesPath } from '../../web/paths.ts'
import { runningNav } from '../course-settings/nav.ts'
import { barOf } from '../courses/course-bar.ts'
import { courseFor } from '../courses/find-course.ts'
import type { Course } from '../courses/queries.ts'
import { type Editing, type PolicyFormView, policyDoor, showPolicyForm } from './editing.ts'
import {
  courseRulesChange,
  findCourseRules,
  findPolicies,
  outlineOf,
  type Policy,
  policyFor,
} from './policy.ts'

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
    show: (form, status) => showRulesForm(request, reply, course, form, status),
  }
}

export async function showRulesForm(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  form: PolicyFormView,
  status: number,
) {
  const t = translatorFor(request)
  const page = {
    title: t('policies.courseRules'),
    ...form,
    nav: runningNav({ t, course }, 'rules'),
    pagePath: courseRulesPath(course.slug),
  }
  return reply.page('policies/edit-course', page, {
    status,
    about: t('courseSettings.edit.title'),
    course: course.slug,
    bar: await barOf(contextOf(request), course, 'settings'),
    isForStaff: true,
    showsTexts: true,
  })
}

export async function showPolicy(request: FastifyRequest, reply: FastifyReply, name: PolicyName) {
  const { db } = request.server
  request.rendering?.dependsOn('site')
  const language = languageOfRequest(request)
  const policy = policyFor(await findPolicies(db, name), language)
  const links = await request.server.policyLinks(null)
  const tabs = POLICY_NAMES.filter((one) => one === name || links.some((link) => link.name === one))
  return reply.page(
    'policies/show',
    {
      title: translatorOf(language)(`policies.${name}`),
      ...(await shown(request, policy)),
      tabs: tabs.map((one) => ({ name: one, path: `/${one}`, isCurrent: one === name })),
      forumRulesPath: null,
      writePath: policy === null && may(request.person, 'decide-settings') ? `/admin/pages/${name}` : null,
    },
    { showsTexts: true, canonical: `/${name}`, ...(policy === null && { robots: 'noindex' }) },
  )
}

export async function showCourseRules(request: FastifyRequest, reply: FastifyReply, course: Course) {
  request.rendering?.dependsOn(`course:${course.id}`)
  const rules = await findCourseRules(request.server.db, course.id)
  const policy = rules === null ? null : policyFor([rules], rules.language)
  const links = await request.server.policyLinks(null)
  return reply.page(
    'policies/show',
    {
      title: translatorFor(request)('policies.courseRules'),
      ...(await shown(request, policy, course.timeZone)),
      tabs: [],
      forumRulesPath: links.find(({ name }) => name === 'rules')?.path ?? null,
      writePath:
        policy === null && may(request.person, 'manage', placeOf(course))
          ? courseRulesFormPath(course.slug)
          : null,
    },
    {
      about: course.title,
      showsTexts: true,
      course: course.slug,
      bar: await barOf(contextOf(request), course, null),
      canonical: courseRulesPath(course.slug),
      ...(policy === null && { robots: 'noindex' }),
    },
  )
}

/** @param timeZone of what the page is about, for visitors and all who chose none */
async function shown(
  request: FastifyRequest,
  policy: Policy | null,
  timeZone = request.server.config.timeZone,
) {
  if (policy === null) return { html: '', textLang: null, changedAt: null }
  const [body] = await prepareMarkdown([policy.body])
  return {
    html: outlineOf(body).html,
    textLang: policy.language === languageOfRequest(request) ? null : policy.language,
    changedAt: writtenDate(policy.changedAt, request.person?.timeZone ?? timeZone, translatorFor(request)),
  }
}
