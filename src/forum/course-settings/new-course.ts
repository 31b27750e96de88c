import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findKeptForm, restoredForm } from '../../accounts/sessions/kept-forms.ts'
import { forbidden } from '../../kernel/problem.ts'
import { may } from '../../kernel/rights/rights.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { type FormState, freshForm, typedFields, typedIn } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { languageOfRequest, translatorFor } from '../../web/language.ts'
import { coursePath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { runningNav } from './nav.ts'
import { courseMaking } from './operations.ts'
import { settingFields } from './settings-page.ts'

const PATH = '/courses/new'

export function registerNewCourse(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => {
    requireMaker(request)
    const begin = {
      language: languageOfRequest(request),
      time_zone: app.config.timeZone,
      visibility: 'public',
      asking: 'everybody',
      accent: 'green',
      allows_private: '1',
    }
    return showForm(request, reply, restoredForm(request, await findKeptForm(request), begin))
  })

  openForm(app, PATH, courseMaking, {
    key: () => null,
    formPage: () => PATH,
    keeps: true,
    async instead(request, reply) {
      requireMaker(request)
      const typed = typedIn(request.body, Object.keys(courseMaking.input))
      const suggested = withSuggestedTemplate(request.body, freshForm(typed), typed.language)
      return suggested === null ? null : showForm(request, reply, suggested)
    },
    done: ({ slug }) => coursePath(slug),
    flash: () => 'courseSettings.flash.made',
    refused: async (request, reply, form) => showForm(request, reply, form, 422),
  })
}

/** @throws Problem 403 */
function requireMaker(request: FastifyRequest): void {
  if (!may(request.requirePerson(), 'make-course')) throw forbidden()
}

function showForm(request: FastifyRequest, reply: FastifyReply, form: FormState, status = 200) {
  const t = translatorFor(request)
  return reply.page(
    'course-settings/new',
    { title: t('courseSettings.new.title'), ...settingFields(request, form) },
    { status, isForStaff: true, script: 'timeZones' },
  )
}

/** What can be done with a whole course: views/course-settings/copy.eta. */
export async function showCopy(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  { status = 200, form }: { readonly status?: number; readonly form?: FormState },
) {
  const path = coursePath(course.slug)
  return reply.page(
    'course-settings/copy',
    {
      title: translatorFor(request)('courseSettings.nav.copy'),
      nav: runningNav(request, course.slug, 'copy'),
      archive: { action: `${path}/archive`, isArchived: course.isArchived },
      copy: { action: `${path}/copy`, form: form ?? freshForm({ title: course.title }) },
    },
    { status, course: course.slug, bar: await barOf(request, course, 'settings'), isForStaff: true },
  )
}

/** The button that puts the template in which the forum suggests, in the language of the course; nothing is saved. */
export const SUGGEST = 'suggest'

/** A settings form that asked for the suggested template, with it; null: it was sent to be saved. */
export function withSuggestedTemplate(body: unknown, form: FormState, language: string | undefined) {
  if (typedFields(body)[SUGGEST] !== '1') return null
  const t = translatorOf(language === 'ko' ? 'ko' : 'en')
  const headings = ['tried', 'expected', 'happened'].map(
    (name) => `**${t(`courseSettings.template.${name}`)}**`,
  )
  return freshForm({ ...form.typed, question_template: `${headings.join('\n\n\n')}\n` })
}
