import type { FastifyInstance, FastifyRequest } from 'fastify'
import { POLICY_NAMES, type PolicyName } from '../../database/schema.ts'
import { may } from '../../kernel/rights/rights.ts'
import { writtenDate } from '../../messages/spoken-moment.ts'
import { prepareMarkdown } from '../../text/markdown.ts'
import { openForm } from '../../web/forms/door.ts'
import { type PageContext, page } from '../../web/page.ts'
import { textParam } from '../../web/params.ts'
import { courseRulesFormPath, courseRulesPath } from '../../web/paths.ts'
import { runningPage } from '../course-settings/nav.ts'
import { coursePage } from '../courses/course-page.ts'
import { courseFor } from '../courses/find-course.ts'
import { type PolicyFormView, policyDoor, showPolicyForm } from './editing.ts'
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
  app.get('/courses/:course/rules', { config }, (request, reply) => showCourseRules(request, reply))
  registerCourseRules(app)
}

function registerCourseRules(app: FastifyInstance): void {
  const path = '/courses/:course/settings/rules'
  const rulesOf = async (request: FastifyRequest) => {
    const { id, slug, language } = await courseFor(request, 'manage')
    const place = { courseId: id, name: 'rules', language } as const
    return { place, path: courseRulesFormPath(slug), show: showRulesForm }
  }
  app.get(path, async (request, reply) => showPolicyForm(request, reply, await rulesOf(request)))
  openForm(app, path, courseRulesChange, {
    ...policyDoor(rulesOf),
    key: (request) => textParam(request, 'course'),
    formPage: (request) => courseRulesFormPath(textParam(request, 'course')),
    done: ({ slug }) => courseRulesFormPath(slug),
  })
}

export const showRulesForm = runningPage(
  'policies/edit-course',
  'rules',
  { showsTexts: true },
  async ({ t, course }, form: PolicyFormView) => ({
    title: t('policies.courseRules'),
    ...form,
    pagePath: courseRulesPath(course.slug),
    head: { about: t('courseSettings.edit.title') },
  }),
)

export const showPolicy = page('policies/show', { showsTexts: true }, async (context, name: PolicyName) => {
  const { t, db, server, lang, viewer } = context
  context.rendering?.dependsOn('site')
  const policy = policyFor(await findPolicies(db, name), lang)
  const links = await server.policyLinks(null)
  const tabs = POLICY_NAMES.filter((one) => one === name || links.some((link) => link.name === one))
  return {
    title: t(`policies.${name}`),
    ...(await shown(context, policy, context.config.timeZone)),
    tabs: tabs.map((one) => ({ name: one, path: `/${one}`, isCurrent: one === name })),
    forumRulesPath: null,
    writePath: policy === null && may(viewer, 'decide-settings') ? `/admin/pages/${name}` : null,
    head: { canonical: `/${name}`, robots: policy === null ? 'noindex' : undefined },
  }
})

export const showCourseRules = coursePage(
  'policies/show',
  { place: null, showsTexts: true },
  async (context) => {
    const { t, db, server, course } = context
    context.rendering?.dependsOn(`course:${course.id}`)
    const rules = await findCourseRules(db, course.id)
    const policy = rules?.body ? rules : null
    const links = await server.policyLinks(null)
    return {
      title: t('policies.courseRules'),
      ...(await shown(context, policy, course.timeZone)),
      tabs: [],
      forumRulesPath: links.find(({ name }) => name === 'rules')?.path ?? null,
      writePath: policy === null && context.may('manage') ? courseRulesFormPath(course.slug) : null,
      head: {
        about: course.title,
        canonical: courseRulesPath(course.slug),
        robots: policy === null ? 'noindex' : undefined,
      },
    }
  },
)

/** @param timeZone of what the page is about, for visitors and all who chose none */
async function shown({ t, lang, viewer }: PageContext, policy: Policy | null, timeZone: string) {
  if (policy === null) return { html: '', textLang: null, changedAt: null }
  const [body] = await prepareMarkdown([policy.body])
  return {
    html: outlineOf(body).html,
    textLang: policy.language === lang ? null : policy.language,
    changedAt: writtenDate(policy.changedAt, viewer?.timeZone ?? timeZone, t),
  }
}
